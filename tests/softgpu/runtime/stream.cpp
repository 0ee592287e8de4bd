// Streams and events.
#include "softgpu/report.hpp"
#include "softgpu/runtime/runtime.hpp"

using namespace softgpu;

namespace {

// A query lets something happen only now and then: a program must bear that nothing has.
void let_time_pass(Runtime& r) {
  if (r.random.below(4) == 0) r.progress();
}

// The event's mark in its stream, or in the graph that the stream captures.
cudaError_t record(Event& event, Stream& stream) {
  Runtime& r = runtime();
  if (event.device != stream.device) return cudaErrorInvalidResourceHandle;
  if (stream.capture != nullptr) {
    if (stream.capture->broken) return cudaErrorStreamCaptureInvalidated;
    event.capture = stream.capture;
    event.captured = stream.tail;
    event.mark = nullptr;
    return cudaSuccess;
  }
  event.capture = nullptr;
  auto ticks = event.ticks = std::make_shared<u64>(0);
  const cudaError_t status = r.enqueue(
      stream, [ticks] { *ticks = ++runtime().ticks; }, "cudaEventRecord");
  if (status == cudaSuccess) event.mark = stream.last;
  return status;
}

cudaError_t refuse_captured(const Event& event, const char* call) {
  if (event.capture == nullptr) return cudaSuccess;
  report("illegal under capture", call,
         std::string(call) + " of an event that was recorded in a captured stream");
  event.capture->broken = true;
  return cudaErrorCapturedEvent;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return api([&] {
    Runtime& r = runtime();
    Stream* const made = r.make_stream(current_device(), (flags & cudaStreamNonBlocking) == 0);
    r.streams.insert(made);
    *stream = reinterpret_cast<cudaStream_t>(made);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}
// What the stream has still to do is done all the same.
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return api([&] {
    Runtime& r = runtime();
    if (handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread)
      return cudaErrorInvalidResourceHandle;
    Stream* const stream = r.stream(handle, "cudaStreamDestroy");
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream->capture != nullptr) {
      report("illegal under capture", "cudaStreamDestroy",
             "cudaStreamDestroy of a stream that is being captured");
      stream->capture->broken = true;
    }
    r.streams.erase(stream);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return api([&] {
    Runtime& r = runtime();
    Stream* const stream = r.stream(handle, "cudaStreamSynchronize");
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t e = r.forbid_under_capture(stream, "cudaStreamSynchronize"); e != cudaSuccess)
      return e;
    if (stream->legacy)
      if (const cudaError_t e = r.forbid_legacy_under_capture(stream->device, "cudaStreamSynchronize");
          e != cudaSuccess)
        return e;
    if (stream->legacy)
      r.enqueue(
          *stream, [] {}, "cudaStreamSynchronize");  // behind all blocking streams
    r.complete(*stream);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return api([&] {
    Runtime& r = runtime();
    Stream* const stream = r.stream(handle, "cudaStreamQuery");
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t e = r.forbid_under_capture(stream, "cudaStreamQuery"); e != cudaSuccess) return e;
    let_time_pass(r);
    if (!stream->pending.empty()) return cudaErrorNotReady;
    if (stream->last != nullptr) r.seen_done(*stream->last);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned) {
  return api([&] {
    Runtime& r = runtime();
    Stream* const stream = r.stream(handle, "cudaStreamWaitEvent");
    Event* const event = r.event(event_handle, "cudaStreamWaitEvent");
    if (stream == nullptr || event == nullptr) return cudaErrorInvalidResourceHandle;
    if (event->capture != nullptr) {  // the stream joins the capture
      if (event->capture->broken || event->capture->graph == nullptr)
        return cudaErrorStreamCaptureInvalidated;
      if (stream->capture == nullptr) {
        if (stream->legacy) return cudaErrorStreamCaptureImplicit;
        stream->capture = event->capture;
        stream->capture->streams.insert(stream);
        stream->tail.clear();
      } else if (stream->capture != event->capture) {
        return cudaErrorStreamCaptureMerge;
      }
      stream->tail.insert(stream->tail.end(), event->captured.begin(), event->captured.end());
      return cudaSuccess;
    }
    if (stream->capture != nullptr) {
      if (event->mark == nullptr) return cudaSuccess;
      stream->capture->broken = true;
      return cudaErrorStreamCaptureIsolation;
    }
    if (event->mark != nullptr) stream->wait_before_next.push_back(event->mark);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return api([&] {
    auto* const made = new Event;
    made->device = current_device();
    made->timing = (flags & cudaEventDisableTiming) == 0;
    runtime().events.insert(made);
    *event = reinterpret_cast<cudaEvent_t>(made);
    return cudaSuccess;
  });
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  return api([&] {
    Event* const event = runtime().event(handle, "cudaEventDestroy");
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    runtime().events.erase(event);  // kept, so that no later event has its address
    return cudaSuccess;
  });
}
cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream_handle) {
  return api([&] {
    Event* const event = runtime().event(handle, "cudaEventRecord");
    Stream* const stream = runtime().stream(stream_handle, "cudaEventRecord");
    return event == nullptr || stream == nullptr ? cudaErrorInvalidResourceHandle : record(*event, *stream);
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return api([&] {
    Event* const event = runtime().event(handle, "cudaEventSynchronize");
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t e = refuse_captured(*event, "cudaEventSynchronize"); e != cudaSuccess) return e;
    if (const auto mark = event->mark; mark != nullptr) runtime().complete(*mark);
    return cudaSuccess;
  });
}
cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return api([&] {
    Event* const event = runtime().event(handle, "cudaEventQuery");
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t e = refuse_captured(*event, "cudaEventQuery"); e != cudaSuccess) return e;
    let_time_pass(runtime());
    if (event->mark == nullptr) return cudaSuccess;
    if (!event->mark->done) return cudaErrorNotReady;
    runtime().seen_done(*event->mark);
    return cudaSuccess;
  });
}
// A count of marks, not a time: it only grows.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start_handle, cudaEvent_t end_handle) {
  return api([&] {
    Event* const start = runtime().event(start_handle, "cudaEventElapsedTime");
    Event* const end = runtime().event(end_handle, "cudaEventElapsedTime");
    if (start == nullptr || end == nullptr || !start->timing || !end->timing || start->mark == nullptr ||
        end->mark == nullptr)
      return cudaErrorInvalidResourceHandle;
    if (!start->mark->done || !end->mark->done) return cudaErrorNotReady;
    *milliseconds = static_cast<float>(static_cast<i64>(*end->ticks - *start->ticks));
    return cudaSuccess;
  });
}

}  // extern "C"
