#include "weft/io/file.hpp"

#include <doctest/doctest.h>

#include "scratch.hpp"

using namespace weft::io;

static struct stat status_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status;
}

TEST_CASE("file: what is written is read and mapped") {
  const ScratchFolder folder;
  const std::string path = folder / "a", content = std::string("x\0y\n", 4) + std::string(100'000, 'z');
  write_file(path, content);
  CHECK(read_file(path) == content);
  MappedFile first(path);
  const MappedFile map = std::move(first);
  CHECK(map.text() == content);
  CHECK(first.size() == 0);
  write_file(path, "");
  CHECK(map.text() == content);  // replaced, not changed under the mapping
  CHECK(read_file(path).empty());
  CHECK(MappedFile(path).size() == 0);
  CHECK(folder.count() == 1);
}

TEST_CASE("file: without commit nothing changes") {
  const ScratchFolder folder;
  write_file(folder / "a", "old");
  {
    AtomicFile file(folder / "a");
    file.write("new");
    CHECK(folder.count() == 2);
  }
  CHECK(read_file(folder / "a") == "old");
  CHECK(folder.count() == 1);
}

TEST_CASE("file: the mode is kept and a symbolic link followed") {
  const ScratchFolder folder;
  write_file(folder / "a", "old");
  REQUIRE(::chmod((folder / "a").c_str(), 0640) == 0);
  REQUIRE(::symlink("a", (folder / "link").c_str()) == 0);
  REQUIRE(::symlink((folder / "link").c_str(), (folder / "absolute").c_str()) == 0);
  write_file(folder / "absolute", "new");
  CHECK(S_ISLNK(status_of(folder / "link").st_mode));
  CHECK(S_ISLNK(status_of(folder / "absolute").st_mode));
  CHECK((status_of(folder / "a").st_mode & 07777) == 0640);
  CHECK(read_file(folder / "a") == "new");
  CHECK(folder.count() == 3);
}

TEST_CASE("file: a link to what is not there yet is followed, one that leads nowhere is refused") {
  const ScratchFolder folder;
  REQUIRE(::mkdir((folder / "sub").c_str(), 0755) == 0);
  REQUIRE(::symlink("sub/new", (folder / "link").c_str()) == 0);
  write_file(folder / "link", "content");
  CHECK(S_ISLNK(status_of(folder / "link").st_mode));
  CHECK(read_file(folder / "sub/new") == "content");
  REQUIRE(::symlink("none/new", (folder / "lost").c_str()) == 0);
  CHECK(error_text([&] { write_file(folder / "lost", "x"); }).find("No such file or directory") !=
        std::string::npos);
  REQUIRE(::symlink("circle", (folder / "circle").c_str()) == 0);
  CHECK(error_text([&] { write_file(folder / "circle", "x"); }).find("Too many levels of symbolic links") !=
        std::string::npos);
  CHECK(folder.count() == 4);
}

TEST_CASE("file: names and paths as long as the system allows") {
  const ScratchFolder folder;
  for (const std::size_t length : {std::size_t{245}, std::size_t{255}}) {
    const std::string path = folder / std::string(length, 'n');
    write_file(path, "1");
    write_file(path, "2");
    CHECK(read_file(path) == "2");
  }
  CHECK(folder.count() == 2);
  CHECK(error_id([&] { write_file(folder / std::string(256, 'n'), "1"); }) == "file/create");
  // A folder's name fills the path, so that no temporary's name would fit behind it.
  std::string deep = folder.path();
  while (deep.size() < 4000) {
    deep += "/" + std::string(4000 - deep.size() > 200 ? 199 : 4000 - deep.size(), 'd');
    REQUIRE(::mkdir(deep.c_str(), 0755) == 0);
  }
  const std::string path = deep + "/" + std::string(4095 - deep.size() - 1, 'n');
  write_file(path, "1");
  write_file(path, "2");
  CHECK(read_file(path) == "2");
}

TEST_CASE("file: a mode that makes a program run as somebody else is not handed on") {
  const ScratchFolder folder;
  write_file(folder / "a", "old");
  REQUIRE(::chmod((folder / "a").c_str(), 06755) == 0);
  write_file(folder / "a", "new");
  CHECK((status_of(folder / "a").st_mode & 07777) == 0755);
  REQUIRE(::chmod((folder / "a").c_str(), 0444) == 0);
  write_file(folder / "a", "newer");
  CHECK((status_of(folder / "a").st_mode & 07777) == 0444);
  // A new file has the mode of any file that the process makes.
  const mode_t before = ::umask(027);
  write_file(folder / "b", "new");
  ::umask(before);
  CHECK((status_of(folder / "b").st_mode & 07777) == 0640);
}

TEST_CASE("file: what replaces a private file is private while it is written") {
  const ScratchFolder folder;
  write_file(folder / "a", "old");
  REQUIRE(::chmod((folder / "a").c_str(), 0600) == 0);
  AtomicFile file(folder / "a");
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    CHECK((status_of(entry.path().string()).st_mode & 077) == 0);
}

TEST_CASE("file: a temporary whose process is gone is removed by the next save to its path") {
  const ScratchFolder folder;
  const std::string path = folder / "a";
  std::string name;
  {
    AtomicFile file(path);
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      name = entry.path().filename().string();
    CHECK(name.starts_with(".weft-"));
    CHECK(name.ends_with("-0"));
    // Another save to the same path, meanwhile: it leaves the locked one alone.
    write_file(path, "second");
    CHECK(folder.count() == 2);
    file.write("first");
    file.commit();
  }
  CHECK(read_file(path) == "first");
  CHECK(folder.count() == 1);
  // What killed processes leave: nobody holds their locks.
  const std::string stem = folder / name.substr(0, name.size() - 1);
  for (const char* number : {"0", "1", "5"}) write_file(stem + number, "left");
  REQUIRE(::mkdir((stem + "2").c_str(), 0755) == 0);  // what is no file is left alone
  REQUIRE(::symlink("a", (stem + "3").c_str()) == 0);
  write_file(folder / "b", "another path");
  CHECK(folder.count() == 7);
  write_file(path, "third");
  CHECK(read_file(path) == "third");
  CHECK(folder.count() == 4);
}

TEST_CASE("file: a committed file takes no more") {
  const ScratchFolder folder;
  AtomicFile file(folder / "a");
  file.write("1");
  file.commit();
  CHECK(error_id([&] { file.write("2"); }) == "file/write");
  CHECK(error_id([&] { file.commit(); }) == "file/write");
  CHECK(read_file(folder / "a") == "1");
}

TEST_CASE("file: what cannot be read says why") {
  const ScratchFolder folder;
  CHECK(error_text([&] { read_file(folder / "none"); }) ==
        "file/open: cannot open '" + (folder / "none") + "': No such file or directory");
  CHECK(error_id([&] { MappedFile(folder / "none"); }) == "file/open");
  CHECK(error_id([&] { read_file(folder.path()); }) == "file/not-regular");
  CHECK(error_id([&] { read_file("/dev/null"); }) == "file/not-regular");
}
