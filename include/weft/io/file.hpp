#pragma once
// Files written for keeps. Law: a path holds either its old content or all of the new, whatever fails and
// whenever the process is killed; a failed write leaves no temporary behind.

#include <sys/file.h>

#include "weft/io/open_file.hpp"

namespace WEFT_NAMESPACE::io {

// Writes a file so that `path` holds either its old content or all of the new: bytes go to a temporary in the
// same folder, which `commit` syncs, renames over `path`, and makes durable by syncing the folder. Without
// `commit` nothing changes.
//
// - A symbolic link is followed, also to a file that is not there yet. One of another user in a folder that
//   all may write (/tmp) is refused, as Linux refuses to open it.
// - A replaced file hands on its mode, without the bits that make a program run as somebody else, and, as far
//   as the process may, its owner and group; where the group cannot be kept, it may do what all others may.
//   Hard links keep the old content; extended attributes are not copied. What counts is the permission to
//   write the folder: a file that is read-only is replaced, too.
// - The temporary is called ".weft-<hash of the name>-<number>" and is locked (flock) while it is written. A
//   process that is killed leaves it and the old file; the next one that saves to the same path removes it,
//   where the file system knows locks.
// - A folder that may be written and not read cannot be synced by itself: the whole file system is.
class AtomicFile {
 public:
  // Throws "file/create" (missing or unwritable folder) or "file/not-regular".
  explicit AtomicFile(const std::string& path) : path_(path) {
    if (path.empty()) throw Error("file/create", "cannot write a file with an empty name");
    const std::string target = follow_links(path);
    const std::string folder = folder_of(target);
    base_ = target.substr(target.rfind('/') + 1);
    open_folder(folder);
    struct stat old {};
    replaces_ = !base_.empty() && inspect(folder_.get(), base_, AT_SYMLINK_NOFOLLOW, old);
    if (!replaces_ && !base_.empty() && errno != ENOENT) throw_errno("file/create", "inspect", path_, errno);
    if (base_.empty() || (replaces_ && !S_ISREG(old.st_mode)))
      throw Error("file/not-regular", "cannot write '" + path + "': it is not a regular file");
    owner_ = old.st_uid, group_ = old.st_gid, mode_ = old.st_mode & 0777;
    create_temporary();
  }
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile() { remove_temporary(); }

  // Appends. Throws "file/write" (full disk, size limit); the temporary is gone by then.
  void write(const void* bytes, std::size_t size) {
    require_open();
    const char* at = static_cast<const char*>(bytes);
    while (size > 0) {
      const ssize_t put = uninterrupted([&] { return ::write(file_.get(), at, size); });
      if (put <= 0) abandon("file/write", "write", put == 0 ? ENOSPC : errno);
      at += put;
      size -= static_cast<std::size_t>(put);
    }
  }
  void write(std::string_view text) { write(text.data(), text.size()); }

  // Puts the new content in place. Throws "file/sync" or "file/rename", or "file/create" where the mode of
  // the old file cannot be given to the new one.
  void commit() {
    require_open();
    if (replaces_) keep_owner_and_mode();
    if (uninterrupted([&] { return ::fsync(file_.get()); }) != 0) abandon("file/sync", "sync", errno);
    if (uninterrupted(
            [&] { return ::renameat(folder_.get(), temporary_.c_str(), folder_.get(), base_.c_str()); }) != 0)
      abandon("file/rename", "replace", errno);
    temporary_.clear();
    // Some file systems cannot sync a folder; there the rename itself is all there is.
    if (uninterrupted([&] { return readable_ ? ::fsync(folder_.get()) : ::syncfs(file_.get()); }) != 0 &&
        errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
      throw_errno("file/sync", "make durable (the new content is in place)", path_, errno);
  }

 private:
  static std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash + 1);
  }

  // The state of a name in a folder, or, with AT_EMPTY_PATH, of an open file.
  static bool inspect(int at, const std::string& name, int flags, struct stat& status) {
    return uninterrupted([&] { return ::fstatat(at, name.c_str(), &status, flags); }) == 0;
  }

  // Where a path leads when its last name is a link, to a link, ...
  std::string follow_links(std::string path) const {
    for (int links = 0; links <= 40; ++links) {
      char to[4097];
      const ssize_t length = uninterrupted([&] { return ::readlink(path.c_str(), to, sizeof to); });
      if (length < 0 && (errno == EINVAL || errno == ENOENT)) return path;
      if (length < 0) throw_errno("file/create", "inspect", path_, errno);
      struct stat link {
      }, folder{};
      if (inspect(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, link) &&
          inspect(AT_FDCWD, folder_of(path), 0, folder) &&
          (folder.st_mode & (S_ISVTX | S_IWOTH)) == (S_ISVTX | S_IWOTH) && link.st_uid != ::geteuid() &&
          link.st_uid != folder.st_uid)
        throw Error("file/create", "cannot write '" + path_ + "': '" + path +
                                       "' is another user's symbolic link in a folder that all may write");
      const std::string_view target(to, static_cast<std::size_t>(length));
      path = target.starts_with('/') ? std::string(target) : folder_of(path).append(target);
    }
    throw_errno("file/create", "follow the links of", path_, ELOOP);
  }

  void open_folder(const std::string& folder) {
    const auto open = [&](int how) {
      folder_ = FileDescriptor(
          uninterrupted([&] { return ::open(folder.c_str(), how | O_DIRECTORY | O_CLOEXEC); }));
    };
    open(O_RDONLY);
    readable_ = folder_.get() >= 0;
    if (!readable_ && errno == EACCES) open(O_PATH);
    if (folder_.get() < 0) throw_errno("file/create", "open folder '" + folder + "' to write", path_, errno);
  }

  // The number tells the temporaries of one path apart; the hash is FNV-1a.
  std::string temporary_name(int number) const {
    u64 hash = 0xcbf29ce484222325u;
    for (const char c : base_) hash = (hash ^ static_cast<u8>(c)) * 0x100000001b3u;
    std::string name = ".weft-";
    for (int shift = 60; shift >= 0; shift -= 4) name += "0123456789abcdef"[hash >> shift & 15];
    return name + "-" + std::to_string(number);
  }
  int lock(int file) const {
    return uninterrupted([&] { return ::flock(file, LOCK_EX | LOCK_NB); }) == 0 ? 0 : errno;
  }

  void create_temporary() {
    constexpr int swept = 8;
    for (int number = 0; number < 1000; ++number) {
      const std::string name = temporary_name(number);
      const auto create = [&] {
        // What replaces a file that others may not read is not theirs to read either.
        file_ = FileDescriptor(uninterrupted([&] {
          return ::openat(folder_.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                          replaces_ ? 0600 : 0666);
        }));
        if (file_.get() < 0 && errno != EEXIST)
          throw_errno("file/create", "create a temporary file to write", path_, errno);
        return file_.get() >= 0;
      };
      if (!create() && !(remove_abandoned(name) && create())) continue;
      // Whoever sweeps may have taken it for abandoned before it was locked.
      struct stat own {};
      if (lock(file_.get()) == EWOULDBLOCK ||
          (inspect(file_.get(), "", AT_EMPTY_PATH, own) && own.st_nlink == 0))
        continue;
      temporary_ = name;
      for (int next = number + 1; next < swept; ++next) remove_abandoned(temporary_name(next));
      return;
    }
    throw Error("file/create", "cannot write '" + path_ + "': a thousand temporaries of it lie beside it");
  }
  // Removes a temporary whose process is gone, which its lock tells; false where it is there still.
  bool remove_abandoned(const std::string& name) const {
    const FileDescriptor left(uninterrupted([&] {
      return ::openat(folder_.get(), name.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    }));
    struct stat open {
    }, named{};
    return left.get() >= 0 && lock(left.get()) == 0 && inspect(left.get(), "", AT_EMPTY_PATH, open) &&
           S_ISREG(open.st_mode) && inspect(folder_.get(), name, AT_SYMLINK_NOFOLLOW, named) &&
           open.st_dev == named.st_dev && open.st_ino == named.st_ino && unlink(name);
  }
  bool unlink(const std::string& name) const {
    return uninterrupted([&] { return ::unlinkat(folder_.get(), name.c_str(), 0); }) == 0;
  }

  void keep_owner_and_mode() {
    struct stat own {};
    if (!inspect(file_.get(), "", AT_EMPTY_PATH, own))
      abandon("file/create", "inspect the temporary of", errno);
    const auto own_by = [&](uid_t owner) {
      return uninterrupted([&] { return ::fchown(file_.get(), owner, group_); }) == 0;
    };
    const bool kept = (own.st_uid == owner_ && own.st_gid == group_) || own_by(owner_) ||
                      own.st_gid == group_ || own_by(static_cast<uid_t>(-1));
    if (!kept) mode_ = (mode_ & ~070u) | (mode_ & (mode_ & 07) << 3);
    if ((own.st_mode & 07777) != mode_ && uninterrupted([&] { return ::fchmod(file_.get(), mode_); }) != 0)
      abandon("file/create", "set the mode of", errno);
  }

  void require_open() const {
    if (temporary_.empty()) throw Error("file/write", "'" + path_ + "' was already committed or abandoned");
  }
  void remove_temporary() {
    if (!temporary_.empty()) uninterrupted([&] { return ::unlinkat(folder_.get(), temporary_.c_str(), 0); });
    temporary_.clear();
  }
  [[noreturn]] void abandon(const char* id, const char* action, int error) {
    remove_temporary();
    throw_errno(id, action, path_, error);
  }

  std::string path_, base_;  // as it was given; the last name of what it leads to
  std::string temporary_;    // empty where there is none
  FileDescriptor folder_, file_;
  bool readable_ = false;  // the folder
  bool replaces_ = false;
  uid_t owner_ = 0;
  gid_t group_ = 0;
  mode_t mode_ = 0;
};

// Replaces the file's content atomically.
inline void write_file(const std::string& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

}  // namespace WEFT_NAMESPACE::io
