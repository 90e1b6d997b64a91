/** The text format of OpenMetrics 1.0, as far as Lodeline needs it. */

export const OPEN_METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

export type Labels = Readonly<Record<string, string>>

/** One value of a metric. `suffix` is what the format asks of its type, such as `_total`. */
export interface Sample {
  suffix?: string
  labels?: Labels
  value: number
}

export interface Metric {
  /** As OpenTelemetry names it, with underscores for dots and the unit at its end. */
  name: string
  type: 'gauge' | 'counter' | 'histogram' | 'info'
  unit?: string
  help: string
  samples: readonly Sample[]
}

export function openMetrics(metrics: readonly Metric[]): string {
  return `${metrics.map(metricText).join('')}# EOF\n`
}

function metricText({ name, type, unit, help, samples }: Metric): string {
  const head = [`# TYPE ${name} ${type}`, ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`])]
  const lines = samples.map(({ suffix = '', labels = {}, value }) => `${name}${suffix}${labelText(labels)} ${value}`)
  return [...head, `# HELP ${name} ${escaped(help)}`, ...lines].map((line) => `${line}\n`).join('')
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')
