/// A block of a document, such as a table or a sentence.
package enum DocumentBlock {
  /// A line of facts.
  case facts([Phrase])
  /// A line of facts that belongs to the table above it.
  case factsOfTable([Phrase])
  case table(DocumentTable)
  case matrix(DocumentMatrix)
  /// A prominent warning, without a final full stop.
  case warning(String)
  /// A conclusion from the numbers, without a full stop.
  case statement(String)
  /// An explanation of the table above it, without a full stop.
  case explanation(String)
  /// Notes that labels refer to by their number, from 1.
  case footnotes([String])
}
