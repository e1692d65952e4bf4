extension DropoffRow: ReportRow {
  public var groups: Int { entered }
}
