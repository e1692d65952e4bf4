import Foundation
import Testing

/// `funnel log keys`: the keys by which a report can be segmented or filtered.
@Suite struct LogKeysTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
    try place.write(
      LogLine.event("opened", "s1", at: 0, #""ctx":{"country":"DE","os":"iOS 26"},"props":{"n":3}"#)
        + LogLine.event("opened", "s2", at: 1, #""ctx":{"country":"AT","os":"iOS 26"},"props":{"n":"3","gone":null}"#)
        + LogLine.event("opened", "s3", at: 2, #""ctx":{"country":"DE"},"props":{"ok":true,"text":" a, b"}"#)
        + LogLine.completedRun("s4", at: 10, #""props":{"share":0.5}"#),
      to: "log.ndjson")
    _ = try place.ingest("log.ndjson")
  }

  @Test func `keys are listed with events, values and the most frequent values, as a table`() throws {
    let expected = """
      key          events  values  most frequent
      ctx.country       3       2  DE (2), AT (1)
      ctx.os            2       1  iOS 26 (2)
      props.n           2       1  3 (2)
      props.ok          1       1  true (1)
      props.share       6       1  0.5 (6)
      props.text        1       1  " a, b" (1)
      all events        9

      """
    let run = try place.run("log", "keys")
    #expect(run.status == 0)
    #expect(run.output == expected)
    #expect(run.errors == "")
    #expect(try place.run("log", "keys", "--threads", "5").output == expected)
    #expect(try place.run("log", "keys", "log.ndjson").output == expected)
    #expect(try place.run("log", "keys", "-", input: place.text("log.ndjson")).output == expected)
  }

  @Test func `JSON has numbers and booleans as such, CSV a row for each value`() throws {
    #expect(
      try place.run("log", "keys", "--format", "json", "--name", "opened", "--until", "2026-11-20T10:00:02Z").output == #"""
        {"events":2,"more_keys":false,"keys":[
          {"key":"ctx.country","events":2,"values":2,"more_values":false,"top":[{"value":"AT","count":1},{"value":"DE","count":1}]},
          {"key":"ctx.os","events":2,"values":1,"more_values":false,"top":[{"value":"iOS 26","count":2}]},
          {"key":"props.n","events":2,"values":1,"more_values":false,"top":[{"value":3,"count":2}]}
        ]}

        """#)
    #expect(
      try place.run("log", "keys", "--format", "csv", "--values", "1").output == """
        key,events,values,more_values,value,count
        ctx.country,3,2,false,DE,2
        ctx.os,2,1,false,iOS 26,2
        props.n,2,1,false,3,2
        props.ok,1,1,false,true,1
        props.share,6,1,false,0.5,6
        props.text,1,1,false," a, b",1

        """)
    #expect(
      try place.run("log", "keys", "--format", "csv", "--values", "0", "--name", "perm_photos_granted").output.hasSuffix(
        "\nprops.share,1,1,false,,\n"))
  }

  @Test func `options narrow the events`() throws {
    func events(_ arguments: String...) throws -> Int? {
      let run = try FunnelRun(arguments: ["log", "keys", "--format", "json"] + arguments, directory: place.url)
      return (try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])?["events"] as? Int
    }
    #expect(try events() == 9)
    #expect(try events("--app", "cleaner") == 9)
    #expect(try events("--app", "clarity") == 0)
    #expect(try events("--flow", "cleaner/permissions_flow") == 6)
    #expect(try events("--name", "opened") == 3)
    #expect(try events("--since", "2026-11-20T10:00:01Z", "--until", "2026-11-20T10:00:11Z") == 3)
    #expect(try events("--flow", "cleaner/permissions_flow", "--name", "perm_flow_start", "log.ndjson") == 1)
    try place.write(LogLine.event("opened").replacing(#","app":"cleaner""#, with: ""), to: "no_app.ndjson")
    #expect(try events("no_app.ndjson", "--app", "cleaner") == 1)
  }

  @Test func `a list of nothing says why`() throws {
    let none = try place.run("log", "keys", "--name", "nothing")
    #expect(none.status == 0)
    #expect(none.output == "key      events  values  most frequent\nno keys       0\n")
    #expect(none.errors == "funnel: no events match, change or leave out --app, --flow, --name, --since or --until\n")
    let bare = try place.run("log", "keys", "-", input: LogLine.event("opened"))
    #expect(bare.errors == "funnel: no keys, no ctx or props in 1 event\n")
    #expect(try place.run("log", "keys", "-").errors == "funnel: no events, the log is empty\n")
  }

  @Test func `more values than are counted are told, the same ones with any number of threads`() throws {
    let lines = (0..<10_500).map { LogLine.event("opened", "s\($0 % 9)", at: $0, #""props":{"n":\#($0),"m":\#($0 % 2)}"#) }
      .joined()
    try place.write(lines, to: "many.ndjson")
    let run = try place.run("log", "keys", "many.ndjson", "--values", "2")
    #expect(
      run.output == """
        key         events   values  most frequent
        props.m     10,500        2  0 (5,250), 1 (5,250)
        props.n     10,500  10,000+  0 (1), 1 (1)
        all events  10,500

        """)
    #expect(run.errors == "funnel: + means that there are more values; only those that come first in the log were counted\n")
    let all = try place.run("log", "keys", "many.ndjson", "--values", "10000", "--format", "csv", "--threads", "1").output
    #expect(try place.run("log", "keys", "many.ndjson", "--values", "10000", "--format", "csv", "--threads", "7").output == all)
  }

  @Test func `mistakes are one line`() throws {
    let both = try place.run("log", "keys", "log.ndjson", "--store", "funnel-store")
    #expect(both.status == 64)
    #expect(both.errors == "funnel: both --store and input files, log.ndjson, give one of them\n")
    let values = try place.run("log", "keys", "--values", "-1")
    #expect(values.status == 64)
    #expect(values.errors == "funnel: --values -1: give 0 to 10000, see 'funnel log keys --help'\n")
    #expect(try place.run("log", "keys", "none.ndjson").status == 66)
    let refused = try place.run("log", "keys", "-", input: "{\n[]\n")
    #expect(refused.status == 65)
    #expect(
      refused.errors
        == "funnel: no line is a valid event, -, 2 of 2 lines were rejected: 1 invalid_json, 1 not_an_object, see all with 'funnel ingest'\n"
    )
    let some = try place.run("log", "keys", "-", input: "{\n" + LogLine.event("opened", "s1", #""ctx":{"a":"b"}"#))
    #expect(some.status == 0)
    #expect(some.errors == "funnel: 1 of 2 lines was rejected: 1 invalid_json\n")
  }

  @Test func `the keys of a sample are as they were`() throws {
    let sample = try SampleWorkspace(.cleaner)
    #expect(
      try sample.run("log", "keys", "cleaner", "--values", "2").output == """
        key               events  values  most frequent
        ctx.app_version    3,626       5  3.1.0 (1,176), 3.2.1 (1,087)
        ctx.country        3,448       9  US (1,223), DE (485)
        ctx.device         3,448       8  iPhone17,3 (713), iPhone18,1 (560)
        ctx.locale         3,448      10  en_US (1,022), de_DE (485)
        ctx.os             3,448       6  iOS 26.1 (1,225), iOS 18.6 (887)
        ctx.variant        3,448       2  A (1,742), B (1,706)
        props.permission      60       1  photos (60)
        props.reason           9       1  dismissed (9)
        props.trigger        559       3  first_launch (532), incomplete (21)
        all events         3,626

        """)
  }
}
