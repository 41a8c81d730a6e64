/// Names and values that a file carries beside its tensors, in the order of the file. Values keep the
/// exact type they have there, so that a rewritten file is the same.
interface Metadata {
  /// An empty collection.
  constructor();
  /// Type of a value, such as `uint32`, `string` or `array<float32>`.
  /// @param key  Name of the value.
  [Throws] DOMString typeOf(DOMString key);
  /// Adds or replaces a value of an exact type. Setting a value without one chooses `bool`, `string`, `float32`, or
  /// the first of `int32`, `uint32`, `int64` and `uint64` that holds every number.
  /// @param key    Name of the value.
  /// @param value  Boolean, number, string, or a list of one of these.
  /// @param type   Such as `uint16` or `array<string>`.
  [Throws] undefined setTyped(DOMString key, any value, DOMString type);

  /// The values by name.
  maplike<DOMString, any>;
};

/// Metadata of a file, or values by name.
typedef (Metadata or record<DOMString, any>) MetadataLike;

/// A model file, mapped into memory: nothing of its tensors is read before it is used. Tensors keep the map alive.
interface File {
  /// Path the file was opened by.
  readonly attribute DOMString path;
  /// `gguf` or `safetensors`.
  readonly attribute DOMString format;
  /// Version of the format: 2 or 3 for GGUF, 0 where there is none.
  readonly attribute unsigned long version;
  /// `little` or `big`.
  readonly attribute DOMString byteOrder;
  /// Bytes that the beginning of each tensor is a multiple of.
  readonly attribute unsigned long long alignment;
  /// Names and values of the header.
  readonly attribute Metadata metadata;
  /// Lets go of the map. Tensors already taken stay valid; the file gives out no more.
  undefined close();

  /// The tensors by name, in the order of the file.
  readonly maplike<DOMString, Tensor>;
};

/// Called after each step. An error it throws ends the work.
/// @param done   Bytes done.
/// @param total  Bytes there are.
callback Progress = undefined (unsigned long long done, unsigned long long total);

/// What became of one tensor.
dictionary TensorReport {
  /// Name in both files.
  DOMString name = "";
  /// Elements along each dimension.
  sequence<unsigned long long> shape = [];
  /// Type in the source.
  DOMString from = "";
  /// Type in the result.
  DOMString to = "";
  /// Bytes in the result.
  unsigned long long nbytes = 0;
};

/// How a file is quantized.
dictionary QuantizeFileOptions {
  /// Told of each finished tensor.
  Progress? progress = null;
  /// Quantize tensors that are quantized already. Each step loses precision.
  boolean allowRequantize = false;
  /// How much a deviation matters in each column, by name of tensor: numbers as `quantize` takes them. Tensors that are not named
  /// are quantized without, and skip formats of the rule that need it. Every name must be in the file.
  record<DOMString, TensorLike>? importance = null;
  /// Raise `NotFinite` for the first number that is NaN or infinite or too large for its format, as `quantize` does. There is no
  /// result then.
  boolean strict = false;
};

/// How a file is written.
dictionary SaveOptions {
  /// `gguf` or `safetensors`; by the suffix of the path when omitted.
  DOMString? format = null;
  /// Bytes that the beginning of each tensor is a multiple of; 32 or what the metadata say, when omitted. GGUF only.
  unsigned long long? alignment = null;
};

/// A path of the file system.
typedef DOMString Path;

partial namespace tenspan {
  /// Opens a GGUF or safetensors file. The content decides which, not the name.
  /// @param path  Path of the file.
  [Throws] File open(Path path);
  /// Writes tensors and metadata to a new file that replaces an old one in one step, after all of it has
  /// reached the disk.
  /// @param path      Path of the file.
  /// @param tensors   Tensors by name, in the order to write them.
  /// @param metadata  Metadata of a file, or values by name.
  [Throws] undefined save(Path path, record<DOMString, TensorLike> tensors, optional MetadataLike? metadata = null, optional SaveOptions options = {});
  /// Rewrites a file with its tensors quantized, as GGUF. Tensors that no format of the rule fits stay as they are, byte for byte.
  /// @param src   Path of a GGUF or safetensors file.
  /// @param dst   Path of the result.
  /// @param rule  Formats in order of preference, such as `q4_k,q8_0`: a tensor takes the first whose
  ///              blocks fit its rows. Tensors of one dimension stay as they are. Several rules are parted by `;` and may begin
  ///              with a pattern of names, as in `*embed*=q8_0;*=q4_k,q8_0`; the first that fits a name counts.
  [Throws] sequence<TensorReport> quantizeFile(Path src, Path dst, (DOMString or DType) rule, optional QuantizeFileOptions options = {});
  /// Reads a file and checks all its rules, without reading the elements.
  /// @param path  Path of the file.
  [Throws] undefined validateFile(Path path);
};
