/// A thing.
interface mixin Thing {
};
