#pragma once
// What a file is that should have been safetensors and is not, by its first bytes, and how to make one of it.

#include <string>
#include <string_view>

#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::io {

// One sentence about a file of another known format, with the line of Python that saves it as safetensors;
// empty for one that is none of them. `bytes`: the file, or at least its first 300 bytes.
inline std::string other_format(std::string_view bytes, const std::string& path) {
  using namespace std::string_view_literals;
  // The names of a line of Python: the file's own where it needs no escape.
  const bool plain = path.find_first_of("'\\\n\r") == std::string::npos;
  const std::string from = "'" + (plain ? path : "FILE") + "'";
  const std::size_t slash = path.rfind('/'), dot = path.rfind('.');
  const bool named = plain && dot != std::string::npos && (slash == std::string::npos || dot > slash + 1);
  const std::string to = "'" + (named ? path.substr(0, dot) : plain ? path : "FILE") + ".safetensors'";
  const auto is = [&](const char* what, const std::string& python) {
    return std::string("it is ") + what + "; save it as safetensors, in Python: " + python;
  };
  const std::string torch = "import torch, safetensors.torch; safetensors.torch.save_file(torch.load(" +
                            from + ", weights_only=True), " + to + ")";

  if (bytes.starts_with("PK\x03\x04"sv)) {
    // A local file header: the length of the name at byte 26, the name at 30.
    const auto at = [&](std::size_t i) {
      return i < bytes.size() ? static_cast<std::size_t>(static_cast<u8>(bytes[i])) : 0;
    };
    const std::string_view first = bytes.size() > 30 ? bytes.substr(30, at(26) | at(27) << 8) : ""sv;
    if (first.ends_with(".npy"))
      return is("an archive of numpy.savez (.npz)",
                "import numpy, safetensors.numpy; safetensors.numpy.save_file(dict(numpy.load(" + from +
                    ")), " + to + ")");
    if (first.ends_with("data.pkl") || first.find('/') != std::string_view::npos)
      return is("a file of torch.save (.pt, .pth)", torch);
    return "it is a zip archive";
  }
  if (bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5) {
    const bool legacy = bytes.substr(2).starts_with("\x8A\x0A\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19"sv);
    return is(legacy ? "a file of torch.save (.pt, .pth) in the form before PyTorch 1.6"
                     : "a Python pickle, as torch.save writes it",
              torch);
  }
  if (bytes.starts_with("GGUF"sv))
    return is("a GGUF file",
              "import gguf, safetensors.numpy; safetensors.numpy.save_file({t.name: gguf.dequantize(t.data, "
              "t.tensor_type) for t in gguf.GGUFReader(" +
                  from + ").tensors}, " + to + ")");
  if (bytes.starts_with("\x93NUMPY"sv))
    return is("an array of numpy.save (.npy)",
              "import numpy, safetensors.numpy; safetensors.numpy.save_file({'name': numpy.load(" + from +
                  ")}, " + to + ")");
  if (bytes.starts_with("\x89HDF\r\n\x1A\n"sv))
    return is("an HDF5 file",
              "import h5py, safetensors.numpy; tensors = {}; h5py.File(" + from +
                  ").visititems(lambda name, x: tensors.update({name.replace('/', '.'): x[()]}) if "
                  "isinstance(x, h5py.Dataset) else None); safetensors.numpy.save_file(tensors, " +
                  to + ")");
  if (bytes.starts_with("version https://git-lfs"sv))
    return "it is a pointer of Git LFS in place of the file: run git lfs pull";
  if (bytes.size() > 1 && bytes[0] == '{' && static_cast<u8>(bytes[1]) >= '\t')
    return "it is a text in JSON; the index of a model in several files has a name that ends in .index.json";
  return {};
}

}  // namespace WEFT_NAMESPACE::io
