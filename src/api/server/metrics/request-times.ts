import type { Operation } from '../../contract/operation'
import { histogramSamples } from './histogram'
import type { Metric, Sample } from './open-metrics'

/** Upper bounds in seconds, those that OpenTelemetry advises for requests. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] as const

interface Series {
  method: string
  route: string
  status: number
  /** Requests by the first bound that they kept; the last place is for slower ones. */
  counts: number[]
  sum: number
}

/**
 * How long requests took, by operation and status, since the server began. It grows with the operations that are declared, never with what
 * callers send: a path that is none of ours has no series.
 */
export class RequestTimes {
  readonly #series = new Map<string, Series>()

  note({ method, path }: Operation, status: number, ms: number): void {
    const key = `${method} ${path} ${status}`
    let series = this.#series.get(key)
    if (series === undefined) {
      series = { method, route: path, status, counts: new Array(BOUNDS.length + 1).fill(0), sum: 0 }
      this.#series.set(key, series)
    }
    const seconds = ms / 1_000
    const at = BOUNDS.findIndex((bound) => seconds <= bound)
    const place = at < 0 ? BOUNDS.length : at
    series.counts[place] = (series.counts[place] ?? 0) + 1
    series.sum += seconds
  }

  metric(): Metric {
    return {
      name: 'http_server_request_duration_seconds',
      type: 'histogram',
      unit: 'seconds',
      help: 'How long requests took until their answer began; polls wait for work.',
      samples: [...this.#series.values()].flatMap(samplesOf),
    }
  }
}

function samplesOf({ method, route, status, counts, sum }: Series): Sample[] {
  const labels = { http_request_method: method, http_route: route, http_response_status_code: String(status) }
  return histogramSamples(BOUNDS, { labels, counts, sum })
}
