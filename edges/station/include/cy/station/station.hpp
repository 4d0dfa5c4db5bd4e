// The operator's side in one object: serves the page on loopback, and speaks to the agent for
// every page through one cy::Client.
//
//   browser ──► the station's thread: WebServer → ViewerDesk ──post──► the client's thread ──► agent
//   browser ◄── the station's thread: ViewerDesk ◄──────────── post ── the client's thread ◄── agent
//
// Neither thread waits for the other, or for a page.
#pragma once

#include <cy/station/viewer_desk.hpp>

namespace cy::station {

struct StationOptions {
  Endpoint listen = ipv4(127, 0, 0, 1, 8080);  // loopback only; port 0: any free one
  std::string web;                             // the built page's folder
  DeskOptions desk;
  ClientOptions client;
};

struct StationFigures {
  AgentLink link{};
  std::size_t viewers{};
  ViewerDesk::Shown shown;
  std::vector<Counter> counters;
};

class Station {
 public:
  // Listens and dials. Faults say what is wrong and what to do.
  static Result<std::unique_ptr<Station>> open(StationOptions options);
  // Gives back every lease, says goodbye to pages and agent.
  ~Station();
  Station(Station const&) = delete;
  Station& operator=(Station const&) = delete;

  // Where the page is.
  Endpoint local() const;
  // Waits for the station's thread; for people who look on, not for loops.
  StationFigures figures() const;

 private:
  struct Impl;
  explicit Station(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cy::station
