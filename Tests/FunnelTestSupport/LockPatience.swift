package import FunnelModel

/// The time for which tests wait for a store's lock that nobody should hold.
///
/// A process that is being started inherits all open files, and so their locks, until it executes its program. Until then, a
/// store that another test has just closed is still locked.
package let lockPatience = TimeSpan(milliseconds: 120_000)
