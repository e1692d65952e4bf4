import FunnelReports

/// The report of the engine, which commands render. FunnelKit has a type of the same name for other programs.
typealias Report = FunnelReports.Report
