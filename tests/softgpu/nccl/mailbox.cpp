#include "softgpu/nccl/mailbox.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace softgpu::nccl {

Mailbox::Mailbox(const std::string& folder, int rank, int size)
    : folder_(folder),
      rank_(rank),
      size_(size),
      sent_(static_cast<std::size_t>(size), 0),
      received_(static_cast<std::size_t>(size), 0) {
  ::mkdir(folder.c_str(), 0700);  // by whoever comes first
  const std::string made = name_of(rank) + "-new";
  lock_ = ::open(made.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0 || ::flock(lock_, LOCK_EX | LOCK_NB) != 0 ||
      std::rename(made.c_str(), name_of(rank).c_str()) != 0)
    throw std::runtime_error("no folder " + folder);
  const auto start = std::chrono::steady_clock::now();
  for (int r = 0; r < size; ++r)
    while (!std::filesystem::exists(name_of(r)) && !std::filesystem::exists(name_of(r) + "-gone")) {
      if (std::chrono::steady_clock::now() - start > std::chrono::minutes(5))
        throw std::runtime_error("rank " + std::to_string(r) + " did not come");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

Mailbox::~Mailbox() {
  std::error_code ignored;
  std::filesystem::rename(name_of(rank_), name_of(rank_) + "-gone", ignored);
  ::close(lock_);
  for (int r = 0; r < size_; ++r)
    if (!std::filesystem::exists(name_of(r) + "-gone", ignored)) return;
  std::filesystem::remove_all(folder_, ignored);
}

void Mailbox::send(int to, const Header& header, const std::byte* data, u64 bytes) {
  const std::string name = message(rank_, to, sent_[static_cast<std::size_t>(to)]++);
  std::ofstream file(name + "-new", std::ios::binary);
  file.write(reinterpret_cast<const char*>(&header), sizeof header);
  file.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  file.close();
  std::error_code ignored;  // the folder of a communicator that another rank has removed
  std::filesystem::rename(name + "-new", name, ignored);
}

bool Mailbox::receive(int from, Header& header, std::vector<std::byte>& data) {
  const std::string name = message(from, rank_, received_[static_cast<std::size_t>(from)]);
  std::ifstream file(name, std::ios::binary | std::ios::ate);
  if (!file) return false;
  data.resize(static_cast<std::size_t>(file.tellg()) - sizeof header);
  file.seekg(0);
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  file.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()));
  ++received_[static_cast<std::size_t>(from)];
  ::unlink(name.c_str());
  return true;
}

// A process holds the lock of its file as long as it lives.
bool Mailbox::is_there(int r) const {
  if (r == rank_) return true;
  const int file = ::open(name_of(r).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool held = ::flock(file, LOCK_SH | LOCK_NB) != 0;
  ::close(file);
  return held;
}

}  // namespace softgpu::nccl
