/// Where memory is: a kind of device and which of them, by the numbers of DLPack.
[Value]
interface Device {
  /// A device by name, such as `cpu` or `cuda:1`.
  /// @param name  The kind, and after a colon which of them.
  [Throws] constructor(DOMString name);
  /// Number of the kind in DLPack; 1 is the CPU.
  readonly attribute long deviceType;
  /// Which of them, from 0.
  readonly attribute long deviceId;
  /// The device as text, such as `cuda:1`.
  readonly attribute DOMString name;
};
