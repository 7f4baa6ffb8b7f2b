@_exported public import CoreMetrics
