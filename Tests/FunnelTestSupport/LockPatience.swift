public import FunnelModel

/// How long tests wait for a store's lock that nobody should have.
///
/// Whoever starts a process passes on, for a moment, all that is open, locks too: until the new program is there, a store that another test has
/// just closed is still locked.
public let lockPatience = TimeSpan(milliseconds: 120_000)
