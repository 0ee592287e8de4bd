#include "weft/io/file.hpp"

#include <doctest/doctest.h>

#include "scratch.hpp"

using namespace weft::io;

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
  write_file(folder / "link", "new");
  struct stat status {};
  REQUIRE(::lstat((folder / "link").c_str(), &status) == 0);
  CHECK(S_ISLNK(status.st_mode));
  REQUIRE(::lstat((folder / "a").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);
  CHECK(read_file(folder / "a") == "new");
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
