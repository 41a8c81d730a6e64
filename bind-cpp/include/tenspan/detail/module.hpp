/// \file
/// The handwritten members of Module: functions with and without a signature.
#pragma once

#include <string_view>

#include <tenspan/detail/call.hpp>
#include <tenspan/detail/function.hpp>
#include <tenspan/detail/handle.hpp>

TENSPAN_BEGIN_NAMESPACE

class Module;

namespace detail {

template <>
class Members<Module> : public Handle {
 public:
  /// Whether the class has a static `from` for values of a type.
  template <class Source>
  static constexpr bool is_source = false;

  /// A function by its name.
  /// \param name           Name of the function.
  /// \param query_imports  Look into the modules that it imports too.
  /// \return The function.
  /// \throws AttributeError  There is none; the message has the nearest name.
  [[nodiscard]] Function get_function(std::string_view name, bool query_imports = true) const {
    return find<Function>(name, query_imports);
  }

  /// A function by its name, with a signature: arguments and result are checked and converted at each call.
  /// \tparam Signature  Such as `double(std::string_view, std::int64_t)`.
  /// \param name           Name of the function.
  /// \param query_imports  Look into the modules that it imports too.
  /// \return The function.
  /// \throws AttributeError  There is none; the message has the nearest name.
  template <class Signature>
  [[nodiscard]] TypedFunction<Signature> get_function(std::string_view name, bool query_imports = true) const {
    return find<TypedFunction<Signature>>(name, query_imports);
  }

 protected:
  using Handle::Handle;

 private:
  template <class Found>
  Found find(std::string_view name, bool query_imports) const {
    static const std::int32_t method_ = method("Module.getFunction");
    return call<Found>(method_, any(), name, query_imports);
  }
};

}  // namespace detail
TENSPAN_END_NAMESPACE
