/// \file
/// The functions of a runtime: one list, of which the table that tenspan hands over and the weak references are made.
#pragma once

#include <tenspan/kernel/abi.hpp>

/// `TABLE` gets name, result and arguments of every function, in the order of the table; `USED` is given those that kernels call.
#define TENSPAN_KERNEL_FUNCTIONS(TABLE, USED)                                                                           \
  USED(GetVersion, void, (std::uint32_t*))                                                                              \
  TABLE(ObjectIncRef, int, (void*))                                                                                     \
  TABLE(ObjectDecRef, int, (void*))                                                                                     \
  TABLE(ObjectCreateOpaque, int, (void*, std::int32_t, void (*)(void*), void**))                                        \
  TABLE(GetCustomAllocator, void*, (void))                                                                              \
  TABLE(SetCustomAllocator, int, (void*))                                                                               \
  TABLE(TypeKeyToIndex, int, (const Text*, std::int32_t*))                                                              \
  TABLE(FunctionCreate, int, (void*, SafeCall, void (*)(void*), void**))                                                \
  USED(FunctionGetGlobal, int, (const Text*, void**))                                                                   \
  USED(AnyViewToOwnedAny, int, (const Value*, Value*))                                                                  \
  TABLE(FunctionCall, int, (void*, Value*, std::int32_t, Value*))                                                       \
  USED(ErrorMoveFromRaised, void, (void**))                                                                             \
  USED(ErrorSetRaised, void, (void*))                                                                                   \
  USED(ErrorSetRaisedFromCStr, void, (const char*, const char*))                                                        \
  TABLE(ErrorSetRaisedFromCStrParts, void, (const char*, const char**, std::int32_t))                                   \
  USED(ErrorCreate, int, (const Text*, const Text*, const Text*, void**))                                               \
  TABLE(ErrorCreateWithCauseAndExtraContext, int, (const Text*, const Text*, const Text*, void*, void*, void**))        \
  TABLE(TensorFromDLPack, int, (void*, std::int32_t, std::int32_t, void**))                                             \
  TABLE(TensorFromDLPackVersioned, int, (void*, std::int32_t, std::int32_t, void**))                                    \
  TABLE(TensorToDLPack, int, (void*, void**))                                                                           \
  TABLE(TensorToDLPackVersioned, int, (void*, void**))                                                                  \
  TABLE(TensorCreateUnsafeView, int, (void*, const Tensor*, void**))                                                    \
  USED(StringFromByteArray, int, (const Text*, Value*))                                                                 \
  USED(BytesFromByteArray, int, (const Text*, Value*))                                                                  \
  USED(DataTypeFromString, int, (const Text*, DataType*))                                                               \
  USED(DataTypeToString, int, (const DataType*, Value*))                                                                \
  USED(BigIntFromByteArray, int, (const Text*, Value*))                                                                 \
  TABLE(BigIntGetContentByteArray, Text, (const Value*))                                                                \
  USED(FunctionSetGlobal, int, (const Text*, void*, int))                                                               \
  TABLE(FunctionSetGlobalFromMethodInfo, int, (const MethodInfo*, int))                                                 \
  USED(TypeRegisterField, int, (std::int32_t, const FieldInfo*))                                                        \
  USED(TypeRegisterMethod, int, (std::int32_t, const MethodInfo*))                                                      \
  USED(TypeRegisterMetadata, int, (std::int32_t, const TypeMetadata*))                                                  \
  USED(TypeRegisterAttr, int, (std::int32_t, const Text*, const Value*))                                                \
  USED(GetTypeAttrColumn, const AttributeColumn*, (const Text*))                                                        \
  TABLE(Backtrace, const Text*, (const char*, int, const char*, int))                                                   \
  USED(TypeGetOrAllocIndex, std::int32_t, (const Text*, std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::int32_t)) \
  USED(GetTypeInfo, const TypeInfo*, (std::int32_t))                                                                    \
  TABLE(HandleInitOnce, int, (void**, int (*)(void**)))                                                                 \
  TABLE(HandleDeinitOnce, int, (void**, int (*)(void*)))                                                                \
  USED(EnvSetStream, int, (std::int32_t, std::int32_t, void*, void**))                                                  \
  USED(EnvGetStream, void*, (std::int32_t, std::int32_t))                                                               \
  TABLE(EnvSetDLPackManagedTensorAllocator, int, (void*, int, void**))                                                  \
  USED(EnvGetDLPackManagedTensorAllocator, void*, (void))                                                               \
  USED(EnvTensorAlloc, int, (Tensor*, void**))                                                                          \
  USED(EnvCheckSignals, int, (void))                                                                                    \
  TABLE(EnvRegisterCAPI, int, (const char*, void*))                                                                     \
  TABLE(EnvModLookupFromImports, int, (void*, const char*, void**))                                                     \
  TABLE(EnvModRegisterContextSymbol, int, (const char*, void*))                                                         \
  TABLE(EnvModRegisterSystemLibSymbol, int, (const char*, void*))

TENSPAN_KERNEL_BEGIN
namespace abi {

/// The version of the table that these headers know.
inline constexpr std::uint32_t api_version = 1;

/// The functions of a runtime. The table only grows at its end.
struct Api {
  std::uint32_t size;
  std::uint32_t version;
#define TENSPAN_KERNEL_MEMBER(name, result, arguments) result(*name) arguments;
  TENSPAN_KERNEL_FUNCTIONS(TENSPAN_KERNEL_MEMBER, TENSPAN_KERNEL_MEMBER)
#undef TENSPAN_KERNEL_MEMBER
};

static_assert(sizeof(Api) == 8 + 50 * sizeof(void*), "the table of a runtime");

}  // namespace abi
TENSPAN_KERNEL_END
