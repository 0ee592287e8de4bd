#include "weft/comm/control.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace weft;
using comm::Control;
using comm::Launched;

namespace {

// What torchrun sets, while the object lives; an empty value is not set.
class Environment {
 public:
  Environment(const char* rank, const char* size, const char* local, const char* address, const char* port,
              const char* own_port = "", const char* timeout = "") {
    set("RANK", rank), set("WORLD_SIZE", size), set("LOCAL_RANK", local), set("MASTER_ADDR", address);
    set("MASTER_PORT", port), set("WEFT_COMM_PORT", own_port), set("WEFT_COMM_TIMEOUT", timeout);
  }
  ~Environment() {
    for (const char* name : {"RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT",
                             "WEFT_COMM_PORT", "WEFT_COMM_TIMEOUT"})
      ::unsetenv(name);
  }

 private:
  static void set(const char* name, const char* value) {
    if (value[0] == '\0')
      ::unsetenv(name);
    else
      ::setenv(name, value, 1);
  }
};

std::string refused(const Environment&) {
  try {
    Launched::from_environment();
  } catch (const Error& e) {
    return e.id();
  }
  return "";
}

// A port that nobody listens at.
int free_port() {
  const comm::Socket door(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in any{};
  any.sin_family = AF_INET;
  socklen_t length = sizeof any;
  REQUIRE(::bind(door.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0);
  REQUIRE(::getsockname(door.get(), reinterpret_cast<sockaddr*>(&any), &length) == 0);
  return ntohs(any.sin_port);
}
Launched place(int rank, int size, int port) {
  Launched l;
  l.rank = rank, l.size = size, l.port = port;
  return l;
}

}  // namespace

TEST_CASE("control: ranks are what torchrun says in the environment") {
  {
    const Environment none("", "", "", "", "");
    const Launched l = Launched::from_environment();
    CHECK(l.rank == 0);
    CHECK(l.size == 1);
    CHECK(l.local_rank == 0);
  }
  {
    const Environment all("5", "8", "1", "node0", "29500");
    const Launched l = Launched::from_environment();
    CHECK(l.rank == 5);
    CHECK(l.size == 8);
    CHECK(l.local_rank == 1);
    CHECK(l.address == "node0");
    CHECK(l.port == 29501);
  }
  {
    const Environment own("1", "2", "", "node0", "29500", "4711");
    CHECK(Launched::from_environment().port == 4711);
    CHECK(Launched::from_environment().local_rank == 1);
  }
  CHECK(refused(Environment("2", "2", "0", "node0", "29500")) == "comm/environment");
  CHECK(refused(Environment("x", "2", "0", "node0", "29500")) == "comm/environment");
  CHECK(refused(Environment("1", "", "0", "node0", "29500")) == "comm/environment");
  CHECK(refused(Environment("1", "2", "0", "", "29500")) == "comm/environment");
  CHECK(refused(Environment("1", "2", "0", "node0", "")) == "comm/environment");
  CHECK(refused(Environment("1", "2", "0", "node0", "65535")) == "comm/environment");
}

TEST_CASE("control: messages arrive whole and in order, and an end is known") {
  const int port = free_port();
  std::vector<std::thread> others;
  const std::string large(100'000, 'w');
  for (int r = 1; r < 4; ++r)
    others.emplace_back([r, port, &large] {
      Control control(place(r, 4, port));
      control.send(0, Control::Kind::waiting, std::to_string(r));
      control.send(0, Control::Kind::data, large);
      Control::Message m;
      while (!control.receive(0, m)) std::this_thread::yield();
      control.send(0, Control::Kind::data, m.text + m.text);
      while (!control.is_gone(0)) control.receive(0, m);  // until rank 0 ends
    });
  {
    Control control(place(0, 4, port));
    for (int r = 1; r < 4; ++r) {
      Control::Message first, second, third;
      while (!control.receive(r, first)) std::this_thread::yield();
      while (!control.receive(r, second)) std::this_thread::yield();
      CHECK(first.kind == Control::Kind::waiting);
      CHECK(first.text == std::to_string(r));
      CHECK(second.kind == Control::Kind::data);
      CHECK(second.text == large);
      control.send(r, Control::Kind::data, "ab");
      while (!control.receive(r, third)) std::this_thread::yield();
      CHECK(third.text == "abab");
      CHECK(!control.is_gone(r));
    }
  }
  for (std::thread& t : others) t.join();
}

TEST_CASE("control: who does not come is named, and strangers are shown out") {
  const Environment quick("", "", "", "", "", "", "1");
  const int port = free_port();
  std::string others_said[2];
  std::vector<std::thread> others;
  for (const int size : {3, 4})  // one of this job, one of another
    others.emplace_back([&, size] {
      try {
        Control control(place(1, size, port));
      } catch (const Error& e) {
        others_said[size - 3] = e.what();
      }
    });
  std::string said;
  try {
    Control control(place(0, 3, port));
  } catch (const Error& e) {
    said = e.what();
  }
  for (std::thread& t : others) t.join();
  CHECK(said.find("comm/timeout: rank 2 did not connect to rank 0") != std::string::npos);
  for (const std::string& text : others_said)
    CHECK(text.find("comm/timeout: rank 1: rank 0 does not answer") != std::string::npos);
}
