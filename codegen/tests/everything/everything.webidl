/// A spec that uses every construct once.
namespace tenspan {
  /// Sums numbers, see [Thing.scale] and [Colour.green].
  /// @param numbers  Numbers to sum.
  /// @param start    Where `startValue` begins.
  ///                 Goes on here.
  [Throws, Since="0.2"] double sum(sequence<double> numbers, optional double start = 1.5);
  /// Calls back.
  /// @param decide   Asked for each.
  [Throws] boolean ask(Decide decide);
  /// Takes one of everything.
  /// @param flag     A flag.
  /// @param count    A count.
  /// @param text     A text.
  /// @param bytes    Bytes.
  /// @param value    A value.
  /// @param things   Things by name.
  /// @param thing    A thing.
  /// @param colour   A colour.
  /// @param names    Names.
  undefined take(boolean flag, octet count, DOMString text, [Borrow] BufferSource bytes, any value, record<DOMString, ThingLike> things,
                 ThingLike? thing, optional Colour colour = "sea_green", optional sequence<DOMString>? names = null, optional Options options = {});
  /// Asks whenever asked.
  /// @param decide  Asked perhaps.
  undefined askAgain(optional Decide? decide = null);
  /// Only for people of Python.
  /// @param picture  A picture.
  [Custom, Skip=(node, cpp, rust)] Picture show(Picture picture);
  /// All reports by name.
  record<DOMString, long> counts();
};

/// A thing.
[Deprecated="use another thing"]
interface Thing {
  /// Makes one.
  /// @param name  Its name.
  [Throws] constructor(DOMString name);
  /// Makes a red one.
  static Thing red();
  /// Its name.
  attribute DOMString name;
  /// Its kind. Whatever `kindName` it has.
  [Throws] attribute Point? place;
  /// Its bytes.
  [Share] readonly attribute Uint8Array bytes;
  /// Its type.
  [Name="kind"] readonly attribute Colour _type;
  /// Scales it.
  /// @param factor  How much.
  [Name="scaled"] Thing scale(unsigned short factor);
  /// What became of it.
  [Throws] Report report();
  /// Things in it.
  iterable<Thing>;
};

partial interface Thing {
  /// Copies it.
  Thing copied();
};

/// Things by name.
interface Shelf {
  /// The things.
  maplike<DOMString, Thing>;
};

/// A place.
[Value]
interface Point {
  /// From the left.
  readonly attribute short x;
};

/// A thing or its name.
typedef (Thing or DOMString) ThingLike;
/// A picture of the language.
typedef object Picture;

/// A colour.
enum Colour {
  /// Like grass.
  "green",
  /// Like the sea.
  "sea_green"
};

/// Asked about a thing.
/// @param thing   The thing.
/// @param values  Values.
/// @param place   Where.
callback Decide = boolean (Thing thing, sequence<long> values, Point? place);

/// How to take.
dictionary Options {
  /// Asked.
  Decide? decide = null;
  /// How loud.
  long long loud = -3;
  /// How often.
  unsigned long? often = 2;
  /// Which way.
  DOMString way = "left";
  /// Which.
  Colour which = "green";
};

/// What became of it.
dictionary Report {
  /// Names.
  sequence<DOMString> names = [];
  /// Weight.
  double weight = 1;
};

/// Tools for it.
namespace cpp {
  /// Makes things of words, see [cpp.words].
  /// @param words  One, or more of them.
  /// @param more   Those that follow.
  [Throws, Skip=(cpp)] Thing make(Words words, optional Words more = []);
  /// Words that are known.
  [Skip=(cpp)] sequence<DOMString> words();
};

/// Words, or one.
typedef (sequence<DOMString> or DOMString) Words;
