/// \file
/// The stream that the caller works on, and signals that wait for it.
#pragma once

#include <tenspan/kernel/dtype.hpp>

TENSPAN_KERNEL_BEGIN

/// \return The stream of a device in this thread, or null.
inline void* current_stream(Device device) { return abi::api().EnvGetStream(device.type, device.id); }

/// Makes a stream the current one of a device, for this thread and as long as this lives.
class StreamScope {
 public:
  StreamScope(Device device, void* stream) : device_(device) {
    abi::check(abi::api().EnvSetStream(device.type, device.id, stream, &before_));
  }
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;
  ~StreamScope() { abi::api().EnvSetStream(device_.type, device_.id, before_, nullptr); }

 private:
  Device device_;
  void* before_ = nullptr;
};

/// Throws when the user has asked the program to stop: for loops that take long.
inline void check_signals() {
  if (abi::api().EnvCheckSignals != nullptr) {
    abi::check(abi::api().EnvCheckSignals());
  }
}

TENSPAN_KERNEL_END
