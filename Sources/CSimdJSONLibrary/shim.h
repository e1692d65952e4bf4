/* simdjson is C++: CSimdJSON includes it and speaks C. This module only links the library. */
