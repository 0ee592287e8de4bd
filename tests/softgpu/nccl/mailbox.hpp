#pragma once
// Messages between the processes of a communicator, files in a folder that all of them see. Law: sending
// never waits; what one rank sends another arrives whole and in order; a process that is gone is known to be.

#include <string>
#include <vector>

#include "softgpu/types.hpp"

namespace softgpu::nccl {

// What a rank does, so that the one that gets it can see whether it does the same.
struct Header {
  u32 call = 0, dtype = 0;
  u64 count = 0;
  u32 root = 0, unused = 0;
  bool operator==(const Header&) const = default;
};

class Mailbox {
 public:
  // Returns when all ranks are there; throws std::runtime_error where they are not within five minutes.
  Mailbox(const std::string& folder, int rank, int size);
  // Removes the folder with the last rank.
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  void send(int to, const Header& header, const std::byte* data, u64 bytes);
  // Whether the next message of rank `from` was there.
  bool receive(int from, Header& header, std::vector<std::byte>& data);
  // Whether rank r's process has the communicator.
  bool is_there(int r) const;

 private:
  std::string name_of(int r) const { return folder_ + "/rank-" + std::to_string(r); }
  std::string message(int from, int to, u64 number) const {
    return folder_ + "/" + std::to_string(from) + "-" + std::to_string(to) + "-" + std::to_string(number);
  }

  std::string folder_;
  int rank_, size_, lock_ = -1;
  std::vector<u64> sent_, received_;  // by rank
};

}  // namespace softgpu::nccl
