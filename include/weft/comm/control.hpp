#pragma once
// Sockets between rank 0 and each other rank, which launchers such as torchrun leave to the program: over
// them ranks find each other, and learn which of them has ended or is silent. Law: every wait ends.

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "weft/comm/timeout.hpp"
#include "weft/core/error.hpp"
#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::comm {

// Which of the processes of a program this one is, as torchrun says in the environment; alone without it.
struct Launched {
  int rank = 0, size = 1, local_rank = 0;
  std::string address = "127.0.0.1";
  int port = 0;  // where rank 0 listens

  // RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT; the port is the one behind MASTER_PORT, or
  // WEFT_COMM_PORT. Throws "comm/environment".
  static Launched from_environment() {
    Launched l;
    if (std::getenv("WORLD_SIZE") == nullptr && std::getenv("RANK") == nullptr) return l;
    l.size = number("WORLD_SIZE", 1, 1 << 20);
    l.rank = number("RANK", 0, l.size - 1);
    l.local_rank = std::getenv("LOCAL_RANK") != nullptr ? number("LOCAL_RANK", 0, 1 << 20) : l.rank;
    if (l.size == 1) return l;
    const char* address = std::getenv("MASTER_ADDR");
    if (address == nullptr) throw Error("comm/environment", "WORLD_SIZE is set and MASTER_ADDR is not");
    l.address = address;
    l.port = std::getenv("WEFT_COMM_PORT") != nullptr ? number("WEFT_COMM_PORT", 1, 65535)
                                                      : number("MASTER_PORT", 1, 65534) + 1;
    return l;
  }

 private:
  static int number(const char* name, int least, int most) {
    const char* text = std::getenv(name);
    char* end = nullptr;
    const long value = text != nullptr ? std::strtol(text, &end, 10) : -1;
    if (text == nullptr || end == text || *end != '\0' || value < least || value > most)
      throw Error("comm/environment", std::string(name) + " is " + (text != nullptr ? text : "not set") +
                                          " and must be a number from " + std::to_string(least) + " to " +
                                          std::to_string(most) +
                                          ": start the program by torchrun --no-python, or without any of "
                                          "RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT");
    return static_cast<int>(value);
  }
};

// A socket that closes itself; neither end waits in it.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int handle) : handle_(handle) {
    if (handle < 0) return;
    const int on = 1;
    ::fcntl(handle, F_SETFL, ::fcntl(handle, F_GETFL) | O_NONBLOCK);
    ::fcntl(handle, F_SETFD, FD_CLOEXEC);
    ::setsockopt(handle, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  Socket(Socket&& other) noexcept : handle_(other.handle_) { other.handle_ = -1; }
  Socket& operator=(Socket&& other) noexcept {
    const int mine = handle_;
    handle_ = other.handle_;
    other.handle_ = mine;
    return *this;
  }
  ~Socket() {
    if (handle_ >= 0) ::close(handle_);
  }
  int get() const { return handle_; }
  explicit operator bool() const { return handle_ >= 0; }

 private:
  int handle_ = -1;
};

class Control {
 public:
  enum class Kind : u32 { hello, data, waiting, ask, lost };
  struct Message {
    Kind kind{};
    std::string text;
  };

  // Returns when all ranks are connected. Throws "comm/timeout", which names who did not come, or
  // "comm/connect" or "comm/mismatch".
  explicit Control(const Launched& place)
      : rank_(place.rank), size_(place.size), links_(static_cast<std::size_t>(place.size)) {
    if (size_ == 1) return;
    if (rank_ == 0)
      accept_all(place);
    else
      reach(place);
  }

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_gone(int r) const { return links_[static_cast<std::size_t>(r)].gone; }

  // To a rank that is connected, which rank 0 is with all and the others with rank 0. Lost where it has
  // ended.
  void send(int to, Kind kind, const std::string& text = {}) {
    Link& link = links_[static_cast<std::size_t>(to)];
    u32 head[2]{static_cast<u32>(kind), static_cast<u32>(text.size())};
    std::string bytes(sizeof head, '\0');
    std::memcpy(bytes.data(), head, sizeof head);
    bytes += text;
    const auto start = Clock::now();
    for (std::size_t sent = 0; sent < bytes.size() && !link.gone;) {
      const auto n = ::send(link.socket.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n > 0)
        sent += static_cast<std::size_t>(n);
      else if (errno != EAGAIN && errno != EINTR)
        link.gone = true;
      else if (seconds_since(start) > rank_timeout())
        return;  // a rank that reads nothing for so long is silent
      else
        std::this_thread::yield();
    }
  }
  // The next message of a rank; false where there is none yet, or the rank has ended.
  bool receive(int from, Message& message) {
    Link& link = links_[static_cast<std::size_t>(from)];
    char part[4096];
    while (!link.gone) {
      const auto n = ::recv(link.socket.get(), part, sizeof part, 0);
      if (n > 0)
        link.arrived.append(part, static_cast<std::size_t>(n));
      else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        link.gone = true;
      else
        break;
    }
    u32 head[2];
    if (link.arrived.size() < sizeof head) return false;
    std::memcpy(head, link.arrived.data(), sizeof head);
    if (link.arrived.size() < sizeof head + head[1]) return false;
    message = {static_cast<Kind>(head[0]), link.arrived.substr(sizeof head, head[1])};
    link.arrived.erase(0, sizeof head + head[1]);
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Link {
    Socket socket{};
    std::string arrived{};
    bool gone = false;
  };
  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  static std::string hello(int rank, int size) {
    return "weft " + std::to_string(rank) + " of " + std::to_string(size);
  }
  static std::string place_text(const Launched& place) {
    return place.address + ":" + std::to_string(place.port);
  }
  [[noreturn]] static void fail(const std::string& what) {
    throw Error("comm/connect", what + ": " + std::strerror(errno));
  }

  void accept_all(const Launched& place) {
    Socket door(::socket(AF_INET6, SOCK_STREAM, 0));
    const int on = 1, off = 0;
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    any.sin6_port = htons(static_cast<std::uint16_t>(place.port));
    sockaddr_in any4{};
    any4.sin_family = AF_INET;
    any4.sin_port = any.sin6_port;
    const bool six = door && ::setsockopt(door.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) == 0;
    if (!six) door = Socket(::socket(AF_INET, SOCK_STREAM, 0));
    ::setsockopt(door.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const int bound = six ? ::bind(door.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any)
                          : ::bind(door.get(), reinterpret_cast<const sockaddr*>(&any4), sizeof any4);
    if (bound != 0 || ::listen(door.get(), size_) != 0)
      fail("rank 0 cannot listen at port " + std::to_string(place.port) +
           " (the one behind MASTER_PORT, or WEFT_COMM_PORT)");
    const auto start = Clock::now();
    std::vector<Link> guests;
    for (int come = 1; come < size_;) {
      if (seconds_since(start) > rank_timeout()) {
        std::string missing;
        for (int r = 1; r < size_; ++r)
          if (!links_[static_cast<std::size_t>(r)].socket)
            missing += (missing.empty() ? "" : ", ") + std::to_string(r);
        throw Error("comm/timeout", "rank " + missing + " did not connect to rank 0 at " + place_text(place) +
                                        " within " + std::to_string(static_cast<i64>(rank_timeout())) +
                                        " s (WEFT_COMM_TIMEOUT)");
      }
      if (Socket guest(::accept(door.get(), nullptr, nullptr)); guest) {
        guests.emplace_back();
        guests.back().socket = std::move(guest);
      }
      for (Link& guest : guests) come += admit(guest) ? 1 : 0;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    for (int r = 1; r < size_; ++r) send(r, Kind::hello);
  }
  // Whether a guest has said who it is, and is it; others are shown out.
  bool admit(Link& guest) {
    if (!guest.socket) return false;
    char part[64];
    const auto n = ::recv(guest.socket.get(), part, sizeof part, 0);
    if (n > 0) guest.arrived.append(part, static_cast<std::size_t>(n));
    if (n == 0 || guest.arrived.size() > sizeof part) guest.socket = Socket();
    if (guest.arrived.empty() || guest.arrived.back() != '\n') return false;
    for (int r = 1; r < size_; ++r) {
      Link& link = links_[static_cast<std::size_t>(r)];
      if (link.socket || guest.arrived != hello(r, size_) + "\n") continue;
      link.socket = std::move(guest.socket);
      return true;
    }
    guest.socket = Socket();  // of another job, or a rank that is there twice
    return false;
  }

  void reach(const Launched& place) {
    const auto start = Clock::now();
    const auto over = [&] { return seconds_since(start) > rank_timeout(); };
    const std::string name = hello(rank_, size_) + "\n";
    Link& link = links_[0];
    for (;;) {
      if (over())
        throw Error("comm/timeout",
                    "rank " + std::to_string(rank_) + ": rank 0 does not answer at " + place_text(place) +
                        " (MASTER_ADDR, the port behind MASTER_PORT) for " +
                        std::to_string(static_cast<i64>(rank_timeout())) + " s (WEFT_COMM_TIMEOUT)");
      if (!link.socket) {
        link = Link{};
        link.socket = connect_once(place);
        if (link.socket) static_cast<void>(::send(link.socket.get(), name.data(), name.size(), MSG_NOSIGNAL));
      }
      Message message;
      if (link.socket && receive(0, message)) {
        if (message.kind == Kind::hello) return;
        throw Error("comm/connect", "what answers at " + place_text(place) + " is not rank 0");
      }
      if (link.gone) link = Link{};  // rank 0 was not yet, or is another job's
      std::this_thread::sleep_for(std::chrono::milliseconds(link.socket ? 1 : 20));
    }
  }
  static Socket connect_once(const Launched& place) {
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(place.address.c_str(), std::to_string(place.port).c_str(), &wanted, &found) != 0)
      return Socket();  // names come up late where machines do
    Socket made;
    for (const addrinfo* a = found; a != nullptr && !made; a = a->ai_next) {
      Socket tried(::socket(a->ai_family, SOCK_STREAM, 0));
      if (!tried) continue;
      if (::connect(tried.get(), a->ai_addr, a->ai_addrlen) != 0 && errno != EINPROGRESS) continue;
      pollfd wait{tried.get(), POLLOUT, 0};
      int error = 0;
      socklen_t length = sizeof error;
      if (::poll(&wait, 1, 1000) == 1 &&
          ::getsockopt(tried.get(), SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0)
        made = std::move(tried);
    }
    ::freeaddrinfo(found);
    return made;
  }

  int rank_, size_;
  std::vector<Link> links_;  // by rank
};

}  // namespace WEFT_NAMESPACE::comm
