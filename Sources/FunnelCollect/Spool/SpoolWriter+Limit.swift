// The limit of a spool. A batch that does not fit is refused, and its sender tries again later.

extension SpoolWriter {
  /// Returns for each batch whether it fits into the limit of the spool.
  func admit(_ batches: [SpoolBatch]) -> [Bool] {
    let total = batches.reduce(0) { $0 + $1.byteCount }
    if inventory.bytes + total > settings.limitBytes { inventory.refresh() }
    var free = settings.limitBytes - inventory.bytes
    return batches.map { batch in
      guard batch.byteCount <= free else { return false }
      free -= batch.byteCount
      return true
    }
  }
}
