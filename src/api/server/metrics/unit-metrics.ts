import { UNIT_BOUNDS, type UnitTimes } from '../../../domain/unit-times'
import { histogramSamples } from './histogram'
import type { Metric } from './open-metrics'

/** How long this server's units of work took. */
export function unitMetric(times: UnitTimes): Metric {
  return {
    name: 'db_client_operation_duration_seconds',
    type: 'histogram',
    unit: 'seconds',
    help: 'How long units of work took until they were durable or refused.',
    samples: times.series().flatMap(({ weight, error, counts, sum }) =>
      histogramSamples(UNIT_BOUNDS, {
        labels: {
          db_system_name: times.system,
          db_operation_name: 'unit',
          lodeline_unit_weight: weight,
          ...(error !== null && { error_type: error }),
        },
        counts,
        sum,
      }),
    ),
  }
}
