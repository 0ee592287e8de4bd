#pragma once
// Files from outside and files written for keeps. Law: a failed write leaves the old file as it was and no
// temporary behind; every failure is an Error that names the path and the system's reason.

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "weft/core/error.hpp"
#include "weft/core/types.hpp"

namespace weft::io {

[[noreturn]] inline void throw_errno(const char* id, const std::string& action, const std::string& path,
                                     int error) {
  throw Error(id, "cannot " + action + " '" + path + "': " + std::strerror(error));
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
  // Closes now; 0, or the error that close(2) reports.
  int close() { return ::close(std::exchange(fd_, -1)) == 0 ? 0 : errno; }

 private:
  int fd_ = -1;
};

// A regular file opened for reading; `size` in bytes. Throws "file/open" ("file/not-regular" for a folder,
// ...).
inline FileDescriptor open_for_reading(const std::string& path, std::size_t& size) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) throw_errno("file/open", "open", path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw_errno("file/open", "inspect", path, errno);
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
    const ssize_t got = ::read(file.get(), bytes.data() + done, size - done);
    if (got < 0 && errno == EINTR) continue;
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

// Writes a file so that `path` holds either its old content or all of the new: bytes go to a temporary in the
// same folder, which `commit` syncs, renames over `path`, and makes durable by syncing the folder. Without
// `commit` nothing changes. A symbolic link is followed; the mode of a replaced file is kept. A process that
// is killed in between leaves its temporary, "<path>.tmp-<process>-<number>", and the old file.
class AtomicFile {
 public:
  // Throws "file/create" (missing or unwritable folder) or "file/not-regular".
  explicit AtomicFile(const std::string& path) : path_(path) {
    if (path.empty()) throw Error("file/create", "cannot write a file with an empty name");
    if (char* real = ::realpath(path.c_str(), nullptr)) {
      path_ = real;
      ::free(real);
    }
    struct stat old {};
    const bool replaces = ::stat(path_.c_str(), &old) == 0;
    if (replaces && !S_ISREG(old.st_mode))
      throw Error("file/not-regular", "cannot write '" + path + "': it exists and is not a regular file");
    const std::size_t slash = path_.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
    folder_ = FileDescriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder_.get() < 0) throw_errno("file/create", "open folder '" + folder + "' to write", path, errno);
    create_temporary();
    if (replaces && ::fchmod(file_.get(), old.st_mode & 07777) != 0)
      abandon("file/create", "set the mode of", errno);
  }
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }

  // Appends. Throws "file/write" (full disk, size limit); the temporary is gone by then.
  void write(const void* bytes, std::size_t size) {
    if (temporary_.empty()) throw Error("file/write", "'" + path_ + "' was already committed or abandoned");
    const char* at = static_cast<const char*>(bytes);
    while (size > 0) {
      const ssize_t put = ::write(file_.get(), at, size);
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) abandon("file/write", "write", put == 0 ? ENOSPC : errno);
      at += put;
      size -= static_cast<std::size_t>(put);
    }
  }
  void write(std::string_view text) { write(text.data(), text.size()); }

  // Puts the new content in place. Throws "file/sync" or "file/rename".
  void commit() {
    if (temporary_.empty()) throw Error("file/write", "'" + path_ + "' was already committed or abandoned");
    if (::fsync(file_.get()) != 0) abandon("file/sync", "sync", errno);
    if (const int error = file_.close()) abandon("file/sync", "close", error);
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) abandon("file/rename", "replace", errno);
    temporary_.clear();
    // Some file systems have no folder sync and say EINVAL; there the rename itself is all there is.
    if (::fsync(folder_.get()) != 0 && errno != EINVAL)
      throw_errno("file/sync", "make durable (the new content is in place)", path_, errno);
  }

 private:
  void create_temporary() {
    for (int attempt = 0; attempt < 1000; ++attempt) {
      std::string name = path_ + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
      file_ = FileDescriptor(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      if (file_.get() >= 0) {
        temporary_ = std::move(name);
        return;
      }
      if (errno != EEXIST) throw_errno("file/create", "create a temporary file to write", path_, errno);
    }
    throw Error("file/create",
                "cannot write '" + path_ + "': a thousand temporaries of this process lie beside it");
  }
  [[noreturn]] void abandon(const char* id, const char* action, int error) {
    ::unlink(temporary_.c_str());
    temporary_.clear();
    throw_errno(id, action, path_, error);
  }

  std::string path_;
  std::string temporary_;
  FileDescriptor file_;
  FileDescriptor folder_;
};

// Replaces the file's content atomically.
inline void write_file(const std::string& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

}  // namespace weft::io
