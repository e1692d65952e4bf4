/// The numbers of records that have no name, no time or no subject at the paths of a mapping.
package struct RoleFailures: Hashable, Sendable {
  /// The records without the value of one role.
  package struct Role: Hashable, Sendable {
    /// The number of records.
    package fileprivate(set) var count = 0
    /// The reason of the first one, as a sentence. Empty if there is none.
    package fileprivate(set) var first = ""

    fileprivate mutating func add(_ rejection: ImportRejection?) {
      guard let rejection else { return }
      if count == 0 { first = rejection.message }
      count += 1
    }
  }

  /// The number of records that were examined.
  package private(set) var recordCount = 0
  /// The records without a name.
  package private(set) var names = Role()
  /// The records without a time, of those that become events.
  package private(set) var times = Role()
  /// The records without a subject, of those that become events.
  package private(set) var subjects = Role()

  package init() {}

  /// Adds a record without a name.
  mutating func add(name: ImportRejection) {
    recordCount += 1
    names.add(name)
  }

  /// Adds a record that becomes an event, with the reasons why its time and its subject can't be read.
  mutating func add(time: ImportRejection?, subject: ImportRejection?) {
    recordCount += 1
    times.add(time)
    subjects.add(subject)
  }

  /// The number of records that become events.
  package var eventCount: Int { recordCount - names.count }
}
