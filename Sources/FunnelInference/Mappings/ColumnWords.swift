/// The words by which columns of a table are told apart, without case and punctuation, the most likely first.
///
/// A word alone decides nothing: the values of a column must fit its role (``ColumnCandidates``).
enum ColumnWords {
  /// Names of a column with the IDs of events.
  static let ids = ["eventid", "insertid", "messageid", "uuid", "id"]
  /// Names of a column with the times of events.
  static let times = [
    "timestamp", "ts", "eventtime", "eventtimestamp", "time", "createdat", "created", "occurredat", "happenedat", "datetime",
    "eventdate",
    "date", "when", "at", "tstamp", "zeitstempel", "zeitpunkt", "zeit", "datum", "uhrzeit", "fecha", "hora", "horodatage",
    "momento",
  ]
  /// Parts of the names of columns with times at which a system handled a record, not at which the event happened.
  static let handling = [
    "etl", "load", "ingest", "collector", "upload", "receiv", "insert", "process", "updated", "sent", "export", "sync",
    "modified",
    "deleted",
  ]
  /// Whole words in the names of columns with times that are not when something happened: those of a birth, or of what is planned.
  static let otherTimes = [
    "birth", "birthday", "birthdate", "dob", "deadline", "due", "duedate", "planned", "scheduled", "expected", "estimated",
    "target", "expiry", "expires", "expiration", "geburtsdatum", "geburtstag", "frist",
  ]
  /// Names of a column with the names of events.
  static let names = [
    "eventname", "eventtype", "event", "name", "actiontype", "actionname", "activitytype", "action",
    "activity", "activityname", "activityid", "conceptname", "what",
    "type",
    "ereignisname", "nombredelevento", "nombreevento", "nomdelévénement", "nomdelevenement", "nomeevento", "nomedoevento",
    "nomedellevento", "ereignis", "aktion", "evento", "accion", "acción", "azione", "ação", "acao", "evenement", "stage",
    "step",
    "task", "operation", "screen", "page", "aktivität",
    "aktivitat", "événement", "activité", "actividad",
    "событие",
  ]
  /// Those of them that say for sure that the values name events, even if some values are sentences.
  static let sureNames: Set<String> = [
    "eventname", "eventtype", "event", "actionname", "action", "activityname", "activity", "ereignisname", "ereignis",
    "nombredelevento", "nombreevento", "nomdelévénement", "nomdelevenement", "nomeevento", "nomedoevento", "nomedellevento",
    "aktion", "evento", "evenement", "événement", "activité", "actividad", "aktivität", "aktivitat",
  ]
  /// Whole words in the names of such a column.
  static let wordsOfNames = ["eventname", "eventtype", "event", "activity", "action", "ereignis", "evento", "evenement"]
  /// Parts of the names of columns that say where events happened, such as Moodle's `Contexto del evento`.
  static let partsOfContexts = ["context", "kontext", "contesto"]
  /// Names of a column with the states of something, whose changes may be events if no other column has them.
  static let states = ["status", "state", "newstatus", "newstate", "orderstatus", "ticketstatus", "applicationstatus"]
  /// Names of a column with the names of fields that changed, in a log of changes.
  static let fields: Set<String> = [
    "field", "fieldname", "fieldlabel", "fieldid", "changedfield", "fieldchanged", "attribute", "attributename", "property",
    "propertyname", "columnname", "changedcolumn", "feld", "feldname", "champ", "campo",
  ]
  /// Names of a column with the new values in such a log, which have no other meaning.
  static let sureNewValues = [
    "newvalue", "newstring", "tostring", "tovalue", "valueto", "valuenew", "afterchange", "neuerwert",
  ]
  /// Names of such a column if it is beside one with the old values.
  static let newValues = ["to", "new", "after", "value", "changedto", "current", "currentvalue", "neu", "nach"]
  /// Names of a column with the old values in such a log.
  static let oldValues = [
    "oldvalue", "oldstring", "fromstring", "fromvalue", "valuefrom", "valueold", "previousvalue", "priorvalue", "from", "old",
    "before", "previous", "changedfrom", "alterwert", "alt", "von",
  ]
  /// Words in the names of fields whose values are states that something passes through.
  static let statesOfFields = ["status", "state", "stage", "stagename", "lifecyclestage", "phase", "step", "dealstage"]
  /// Names of a column with IDs of what changes in such a log. Those who change it have other columns.
  static let changed = [
    "key", "record", "recordid", "object", "objectid", "entity", "entityid", "parentid", "deal", "lead", "contact", "id",
  ]
  /// Names of a column with those who make the changes in such a log.
  static let changers: Set<String> = [
    "user", "userid", "username", "login", "who", "uid", "person", "email", "mail", "employee", "employeeid", "nutzer",
    "benutzer",
    "usuario", "utilisateur", "пользователь",
  ]
  /// Names of a column with IDs of devices.
  static let devices = [
    "anonymousid", "deviceid", "installid", "userpseudoid", "clientid", "visitorid", "device", "install", "visitor",
  ]
  /// Names of a column with IDs of accounts.
  static let accounts = ["userid", "accountid", "customerid", "memberid", "account"]
  /// Names of a column with the subjects. In a log of cases, the users are those who handle them.
  static let subjects = [
    "subject", "caseid", "caseconceptname", "anonymousid", "deviceid", "installid", "userpseudoid", "distinctid", "userid",
    "clientid", "visitorid",
    "customerid", "accountid", "user", "device", "install", "person", "visitor", "customer",
    "client",
    "case", "who", "uid", "id", "email", "mail", "username", "login", "nutzer", "benutzer", "kunde",
    "kundennummer", "usuario", "cliente", "utilisateur", "fall", "fallid", "fallnummer", "identifiant",
    "пользователь", "candidate", "candidateid", "applicant", "applicantid", "lead", "leadid", "student", "studentid",
    "learner", "learnerid", "patient", "patientid", "employee", "employeeid", "contact", "contactid", "ticketid", "orderid",
    "loanid", "applicationid", "participant", "participantid", "rider", "riderid", "passenger", "passengerid",
  ]
  /// Names of a column with IDs of cases. One that has an own value in each record is that of the records.
  static let cases = [
    "ticketid", "ticket", "caseid", "dealid", "deal", "opportunityid", "opportunity", "incidentid", "incident", "issueid",
    "issuekey",
    "issuenumber", "issue", "conversationid", "threadid", "mailid", "emailid", "claimid", "claim", "shipmentid", "batchid",
    "invoiceid", "transactionid", "tid", "buildid", "runid", "jobid", "requestid", "ticketnumber", "casenumber",
    "incidentnumber", "senderid",
  ]
  /// Ends of the names of columns whose values identify something: a person, a case, a session or an order.
  static let endsOfIDs = ["id", "no", "nr", "number", "key", "uuid", "guid", "ref"]
  /// Parts of the names of columns with times, also of times of day.
  static let partsOfTimes = ["time", "zeit", "hora", "heure", "uhr", "hour", "clock", "hhmm"]
  /// Parts of the names of such a column.
  static let partsOfSubjects = [
    "anonymousid", "deviceid", "installid", "pseudoid", "distinctid", "userid", "clientid", "visitorid", "customerid",
    "caseid", "personid", "playerid", "memberid", "subject", "usuario", "nutzer", "kunde", "utilisateur",
  ]
  /// Parts of the names of a column with accounts, of which a case may have two: `FromAccountId`.
  static let partsOfAccounts = ["accountid"]
}
