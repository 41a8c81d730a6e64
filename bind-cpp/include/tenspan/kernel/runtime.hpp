/// \file
/// The runtime that loaded a module: tenspan, which calls `__tenspan_init`, or another one, found by weak references. And what
/// static initialisers want to tell it, kept until it is there.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>

#include <tenspan/kernel/functions.hpp>

TENSPAN_KERNEL_BEGIN
namespace abi {

#if !defined(_WIN32)
#define TENSPAN_KERNEL_TEXT_(text) #text
#define TENSPAN_KERNEL_TEXT(text) TENSPAN_KERNEL_TEXT_(text)
#define TENSPAN_KERNEL_WEAK(name, result, arguments)                                                              \
  extern "C" result tenspan_weak_##name arguments __asm__(TENSPAN_KERNEL_TEXT(__USER_LABEL_PREFIX__) "TVMFFI" #name) \
      __attribute__((weak, visibility("default")));
#define TENSPAN_KERNEL_NONE(name, result, arguments)
TENSPAN_KERNEL_FUNCTIONS(TENSPAN_KERNEL_NONE, TENSPAN_KERNEL_WEAK)

/// The functions of another runtime; null pointers when there is none.
inline Api weak_functions() {
  Api api{};
  api.size = sizeof(Api);
  api.version = api_version;
#define TENSPAN_KERNEL_TAKE(name, result, arguments) api.name = &tenspan_weak_##name;
  TENSPAN_KERNEL_FUNCTIONS(TENSPAN_KERNEL_NONE, TENSPAN_KERNEL_TAKE)
#undef TENSPAN_KERNEL_TAKE
  return api;
}
#undef TENSPAN_KERNEL_NONE
#undef TENSPAN_KERNEL_WEAK
#else
inline Api weak_functions() { return Api{}; }
#endif

/// The table that tenspan handed over.
inline const Api* given = nullptr;

/// The functions of the runtime; null pointers when there is none yet.
inline const Api& functions() {
  if (given != nullptr) {
    return *given;
  }
  static const Api weak = weak_functions();
  return weak;
}

inline bool has_runtime() { return functions().GetVersion != nullptr; }

/// The functions of the runtime, for code that cannot do without.
inline const Api& api() {
  const Api& found = functions();
  if (found.GetVersion == nullptr) {
    std::fputs("tenspan: a module was opened without a runtime: load it with load_module()\n", stderr);
    std::abort();
  }
  return found;
}

/// Something that a static initialiser wants to register.
class Registration {
 public:
  virtual ~Registration() = default;
  /// Registers it. False when what it needs is not registered yet.
  virtual bool run() = 0;
  /// What it is, in messages.
  [[nodiscard]] virtual const char* name() const = 0;

  bool is_done = false;
  Registration* next = nullptr;
};

inline Registration* first_registration = nullptr;

/// Registers all that is not registered yet. What still waits for something else, or nothing.
inline Registration* run_registrations() {
  for (bool progress = true; progress;) {
    progress = false;
    for (Registration* at = first_registration; at != nullptr; at = at->next) {
      if (!at->is_done && at->run()) {
        at->is_done = progress = true;
      }
    }
  }
  Registration* at = first_registration;
  while (at != nullptr && at->is_done) {
    at = at->next;
  }
  return at;
}

/// Keeps a registration, and runs it when there is a runtime already. It lives as long as the module.
inline void keep_registration(Registration* added) {
  Registration** end = &first_registration;
  while (*end != nullptr) {
    end = &(*end)->next;
  }
  *end = added;
  if (has_runtime()) {
    try {
      run_registrations();
    } catch (const std::exception& error) {
      // A static initialiser has nobody to tell: whoever uses the class is told that it is not registered.
      std::fprintf(stderr, "tenspan: %s could not be registered: %s\n", added->name(), error.what());
    }
  }
}

/// Takes the table of a runtime over, and tells the runtime what static initialisers had to say.
inline int begin(const Api* api) {
  if (api == nullptr || api->size < offsetof(Api, ErrorCreate)) {
    return -1;
  }
  if (api->version != api_version || api->size < sizeof(Api)) {
    char message[160];
    std::snprintf(message, sizeof message,
                  "the module was built for version %u of the runtime with a table of %u bytes; this one has version %u and %u bytes",
                  api_version, static_cast<unsigned>(sizeof(Api)), api->version, api->size);
    api->ErrorSetRaisedFromCStr("RuntimeError", message);
    return -1;
  }
  if (given != api) {
    given = api;
    for (Registration* at = first_registration; at != nullptr; at = at->next) {
      at->is_done = false;
    }
  }
  try {
    if (const Registration* const waiting = run_registrations()) {
      char message[160];
      std::snprintf(message, sizeof message, "%s: the class it inherits from is not registered in this module", waiting->name());
      api->ErrorSetRaisedFromCStr("TypeError", message);
      return -1;
    }
    return 0;
  } catch (const std::exception& error) {
    api->ErrorSetRaisedFromCStr("RuntimeError", error.what());
  } catch (...) {
    api->ErrorSetRaisedFromCStr("RuntimeError", "an exception of an unknown class while classes were registered");
  }
  return -1;
}

#if defined(_WIN32)
#define TENSPAN_KERNEL_ONCE inline
#else
#define TENSPAN_KERNEL_ONCE __attribute__((weak, used))
#endif

/// What tenspan calls when it has loaded a module: one function per module, whatever the number of its sources.
extern "C" TENSPAN_KERNEL_EXPORT TENSPAN_KERNEL_ONCE int __tenspan_init(const Api* api) { return begin(api); }

}  // namespace abi
TENSPAN_KERNEL_END
