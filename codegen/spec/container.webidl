/// Values in order that never change. Equal to every sequence with equal items.
///
/// In Python this is a `Sequence`, with the methods that sequences have there.
[Custom]
interface Array {
  /// An array of these values.
  /// @param items  The values.
  constructor(sequence<any> items);
  /// The value at a position.
  /// @param index  Position; negative counts from the end.
  [Throws, Skip=(python)] any get(long long index);
  /// The position of the first value that equals another.
  /// @param value  What is looked for.
  [Skip=(python)] unsigned long long? indexOf(any value);
  /// The values in order.
  iterable<any>;
};

/// Values in order that can be changed; everybody who holds the list sees it, in whatever language.
[Custom]
interface List {
  /// A list of these values.
  /// @param items  The values.
  [Throws] constructor(sequence<any> items);
  /// The value at a position.
  /// @param index  Position; negative counts from the end.
  [Throws, Skip=(python)] any get(long long index);
  /// Puts a value in the place of another.
  /// @param index  Position; negative counts from the end.
  /// @param value  The new value.
  [Throws, Skip=(python)] undefined set(long long index, any value);
  /// Adds a value at the end.
  /// @param value  The new value.
  [Throws, Skip=(python)] undefined push(any value);
  /// Takes the value at a position out.
  /// @param index  Position; negative counts from the end.
  [Throws, Skip=(python)] any remove(long long index);
  /// Puts values in the place of a range, and returns what stood there.
  /// @param start  First position of the range; past the end is the end.
  /// @param stop   One past the last position.
  /// @param items  What is put there.
  [Throws, Skip=(python)] sequence<any> splice(unsigned long long start, unsigned long long stop, sequence<any> items);
  /// Takes all values out.
  [Skip=(python)] undefined clear();
  /// The position of the first value that equals another.
  /// @param value  What is looked for.
  [Skip=(python)] unsigned long long? indexOf(any value);
  /// The values in order.
  iterable<any>;
};

/// Values by key that never change, in the order in which the keys were first set. Keys are compared with their type: 1, true and 1.0
/// are three keys.
[Custom]
interface Map {
  /// A map of keys and values; the last value of a key counts.
  /// @param entries  Keys and values in turn.
  [Throws, Skip=(python)] constructor(sequence<any> entries);
  /// Number of keys.
  [Skip=(python)] readonly attribute unsigned long long size;
  /// The value of a key.
  /// @param key  The key.
  [Throws, Skip=(python)] any get(any key);
  /// Whether there is such a key.
  /// @param key  The key.
  [Throws, Skip=(python)] boolean has(any key);
  /// The keys in order.
  [Skip=(python)] sequence<any> keys();
  /// The values in the order of their keys.
  [Skip=(python)] sequence<any> values();
  /// Keys and values in turn, in order.
  [Skip=(python)] sequence<any> entries();
};

/// Values by key, in the order in which the keys were first set; everybody who holds the dict sees its changes, in whatever language.
/// Keys are compared with their type: 1, true and 1.0 are three keys.
[Custom]
interface Dict {
  /// A dict of keys and values; the last value of a key counts.
  /// @param entries  Keys and values in turn.
  [Throws, Skip=(python)] constructor(sequence<any> entries);
  /// Number of keys.
  [Skip=(python)] readonly attribute unsigned long long size;
  /// The value of a key.
  /// @param key  The key.
  [Throws, Skip=(python)] any get(any key);
  /// Whether there is such a key.
  /// @param key  The key.
  [Throws, Skip=(python)] boolean has(any key);
  /// The keys in order, as they are now.
  [Skip=(python)] sequence<any> keys();
  /// The values in the order of their keys, as they are now.
  [Skip=(python)] sequence<any> values();
  /// Keys and values in turn, in order, as they are now.
  [Skip=(python)] sequence<any> entries();
  /// Sets the value of a key; a key that is there already keeps its place in the order.
  /// @param key    The key.
  /// @param value  The value.
  [Throws, Skip=(python)] undefined set(any key, any value);
  /// Takes a key and its value out; false when there was no such key.
  /// @param key  The key.
  [Throws, Skip=(python)] boolean remove(any key);
  /// Takes all keys out.
  [Skip=(python)] undefined clear();
};

/// Lengths along dimensions, as functions take and give them.
[Custom]
interface Shape {
  /// A shape of these lengths.
  /// @param lengths  Elements along each dimension, outermost first.
  constructor(sequence<long long> lengths);
  /// The lengths in order.
  iterable<long long>;
};
