#pragma once
// Files from outside, read or mapped. Law: every failure is an Error that names the path and the system's
// reason; a call that a signal interrupts is made again.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "weft/core/error.hpp"
#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::io {

[[noreturn]] inline void throw_errno(const char* id, const std::string& action, const std::string& path,
                                     int error) {
  throw Error(id, "cannot " + action + " '" + path + "': " + std::strerror(error));
}

// The result of a system call that is made again as long as signals interrupt it.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// An open file descriptor, closed at the end of its scope.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

// A regular file opened for reading; `size` in bytes. Throws "file/open" ("file/not-regular" for a folder,
// ...).
inline FileDescriptor open_for_reading(const std::string& path, std::size_t& size) {
  FileDescriptor file(uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
  if (file.get() < 0) throw_errno("file/open", "open", path, errno);
  struct stat status {};
  if (uninterrupted([&] { return ::fstat(file.get(), &status); }) != 0)
    throw_errno("file/open", "inspect", path, errno);
  if (!S_ISREG(status.st_mode)) throw Error("file/not-regular", "'" + path + "' is not a regular file");
  size = static_cast<std::size_t>(status.st_size);
  return file;
}

// The whole file. Throws "file/open" or "file/read".
inline std::string read_file(const std::string& path) {
  std::size_t size = 0;
  const FileDescriptor file = open_for_reading(path, size);
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = uninterrupted([&] { return ::read(file.get(), bytes.data() + done, size - done); });
    if (got < 0) throw_errno("file/read", "read", path, errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

// A file mapped read-only into memory for as long as the object lives. The file must not be cut short
// meanwhile (replacing it by `AtomicFile` is fine: the mapping keeps the old bytes).
class MappedFile {
 public:
  MappedFile() = default;
  // Throws "file/open", "file/not-regular" or "file/map".
  explicit MappedFile(const std::string& path) {
    const FileDescriptor file = open_for_reading(path, size_);
    if (size_ == 0) return;
    void* at = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (at == MAP_FAILED) throw_errno("file/map", "map", path, errno);
    data_ = at;
  }
  MappedFile(MappedFile&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~MappedFile() {
    if (data_ != nullptr) ::munmap(data_, size_);
  }
  const u8* data() const { return static_cast<const u8*>(data_); }
  std::size_t size() const { return size_; }
  std::string_view text() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace WEFT_NAMESPACE::io
