import FunnelModel

/// Generates the Kotlin bindings of a flow: an object with one function for each event, and a class that
/// formats the log line.
struct KotlinWriter {
  private let bindings: FlowBindings
  private let names: KotlinNames

  init(_ bindings: FlowBindings) {
    self.bindings = bindings
    names = KotlinNames(bindings)
  }

  /// Returns the generated source text, which starts with the header lines as comments.
  func text(header: [String]) -> String {
    var source = SourceText(indentation: "    ")
    for line in header { source.line("// \(SourceText.comment(line))") }
    source.line()
    let flow = bindings.flow
    source.line(
      "/** \(SourceText.comment(flow.title)): the events of the flow \(flow.app)/\(flow.flow), version \(flow.version). */")
    source.block("object \(bindings.typeName) {") { source in
      source.line("const val APP = \"\(flow.app)\"")
      source.line("const val FLOW = \"\(flow.flow)\"")
      source.line("const val FLOW_VERSION = \(flow.version)")
      write(names.steps, asType: "Step", "The steps of the flow.", to: &source)
      if !names.permissions.isEmpty {
        write(names.permissions, asType: "Permission", "The permissions that the flow asks for.", to: &source)
      }
      for enumeration in names.enumerations { write(enumeration, to: &source) }
      for function in names.functions { write(function, to: &source) }
      source.line()
      for line in Self.support { source.line(line) }
    }
    return source.text
  }

  /// Writes an enum class of IDs.
  private func write(
    _ ids: [Named<FlowBindings.ID>], asType type: String, _ comment: String, to source: inout SourceText
  ) {
    source.line()
    source.line("/** \(comment) */")
    source.block("enum class \(type)(val id: String) {") { source in
      for id in ids {
        if id.value.label != id.value.id { source.line("/** \(SourceText.comment(id.value.label)) */") }
        source.line("\(id.name)(\"\(id.value.id)\"),")
      }
    }
  }

  /// Writes an enum class of the values of a property.
  private func write(_ enumeration: NamedEnumeration, to source: inout SourceText) {
    source.line()
    source.line("/** The values of \(SourceText.comment(enumeration.subject)). */")
    source.block("enum class \(enumeration.name)(val value: Any?) {") { source in
      for value in enumeration.values { source.line("\(value.name)(\(Self.literal(value.value))),") }
    }
  }

  /// Writes the function of an event.
  private func write(_ function: KotlinFunction, to source: inout SourceText) {
    source.line()
    let notes = function.parameters.compactMap { parameter in
      parameter.constraint.map { "\(SourceText.comment(parameter.key)): \(SourceText.comment($0))" }
    }
    if !notes.isEmpty { source.line("/** \(notes.joined(separator: "; ")). */") }
    let labels = KotlinNames.labels(of: function.parameters)
    var declarations = zip(labels, function.parameters).map { label, parameter in
      "\(label): \(type(of: parameter))\(parameter.isRequired ? "" : "? = null")"
    }
    if let step = Self.parameter(for: function.step) { declarations.insert(step, at: 0) }
    source.line("fun \(function.name)(\(declarations.joined(separator: ", "))): Event =")
    var arguments = ["\"\(function.event)\"", Self.id(of: function.step)]
    if !labels.isEmpty {
      let pairs = zip(labels, function.parameters).map { "\(SourceText.kotlinLiteral($1.key)) to \(value(of: $1, $0))" }
      arguments.append("given(\(pairs.joined(separator: ", ")))")
    }
    source.nested { source in source.line("Event(\(arguments.joined(separator: ", ")))") }
  }

  /// Returns the declaration of the parameter for a step, or `nil` if there is none.
  private static func parameter(for step: KotlinFunction.Step) -> String? {
    switch step {
    case .parameter(.none), .constant: nil
    case .parameter(.optional): "step: Step? = null"
    case .parameter(.required): "step: Step"
    }
  }

  /// Returns the expression for the ID of a step.
  private static func id(of step: KotlinFunction.Step) -> String {
    switch step {
    case .parameter(.none): "null"
    case .parameter(.optional): "step?.id"
    case .parameter(.required): "step.id"
    case .constant(let name): "Step.\(name).id"
    }
  }

  private func type(of parameter: FlowBindings.Parameter) -> String {
    switch parameter.type {
    case .string: "String"
    case .integer: "Long"
    case .number: "Double"
    case .boolean: "Boolean"
    case .scalar: "Any"
    case .enumeration(let index): names.enumerations[index].name
    }
  }

  /// Returns the expression for the logged value of a parameter.
  private func value(of parameter: FlowBindings.Parameter, _ label: String) -> String {
    guard case .enumeration = parameter.type else { return label }
    return parameter.isRequired ? "\(label).value" : "\(label)?.value"
  }

  private static func literal(_ value: PropertyValue) -> String {
    switch value {
    case .string(let text): SourceText.kotlinLiteral(text)
    case .integer(let number): "\(number)L"
    case .double, .bool, .null: value.description
    }
  }

  /// The lines of the `Event` class and its helpers, which are the same for every flow.
  private static let support = """
    /** An event; [line] returns it as a JSON object. Properties are strings, numbers or booleans, without personal data. */
    class Event internal constructor(val name: String, val step: String?, val props: Map<String, Any?> = emptyMap()) {
        /** The event with properties that the definition does not list. */
        fun with(vararg more: Pair<String, Any?>): Event = Event(name, step, more.toMap() + props)

        /** The line of the event, without a line feed. [ts] is in milliseconds since 1970. */
        fun line(
            subject: String, ts: Long, attempt: String? = null, seq: Long? = null, id: String? = null,
            ctx: Map<String, Any?> = emptyMap()
        ): String = json(
            given(
                "name" to name, "ts" to ts, "subject" to subject, "app" to APP, "flow" to FLOW, "flow_version" to FLOW_VERSION,
                "attempt" to attempt, "seq" to seq, "step" to step, "id" to id, "props" to props.ifEmpty { null },
                "ctx" to ctx.ifEmpty { null }, "v" to 1
            )
        )
    }

    private fun given(vararg pairs: Pair<String, Any?>): Map<String, Any?> = pairs.filter { it.second != null }.toMap()

    /** Whether JSON has the value. It has no NaN and no infinite numbers: a property with one is left out. */
    private fun isInJSON(value: Any?): Boolean = when (value) {
        is Double -> !value.isNaN() && !value.isInfinite()
        is Float -> !value.isNaN() && !value.isInfinite()
        else -> true
    }

    private fun json(value: Any?): String = when (value) {
        is Map<*, *> -> value.entries.filter { isInJSON(it.value) }
            .joinToString(",", "{", "}") { json(it.key.toString()) + ":" + json(it.value) }
        is Number, is Boolean, null -> value.toString()
        else -> value.toString().fold(StringBuilder("\\"")) { text, char ->
            when {
                char == '"' || char == '\\\\' -> text.append('\\\\').append(char)
                char < ' ' -> text.append("\\\\u").append((char - '\\u0000').toString(16).padStart(4, '0'))
                else -> text.append(char)
            }
        }.append('"').toString()
    }
    """.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
}
