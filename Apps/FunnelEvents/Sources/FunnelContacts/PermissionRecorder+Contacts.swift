#if canImport(Contacts)
  import Contacts
  public import FunnelEvents

  extension PermissionRecorder {
    /// Asks for the contacts and records the answer.
    ///
    /// - Returns: The answer, or `nil` if there is none (``PermissionOutcome``).
    @discardableResult
    public func requestContacts() async -> PermissionOutcome? {
      await ask(isDetermined: contactsStatus != .notDetermined) {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
          // The status tells more than the completion's Boolean: limited access is access too.
          CNContactStore().requestAccess(for: .contacts) { _, _ in continuation.resume() }
        }
        return contactsStatus.flatMap { PermissionOutcome($0) }
      }
    }

    private var contactsStatus: LibraryStatus? {
      LibraryStatus(rawValue: CNContactStore.authorizationStatus(for: .contacts).rawValue)
    }
  }
#endif
