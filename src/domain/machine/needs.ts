import type { MachineFacts } from './machine'

/** A capability that a worker has by itself where `MachineFacts.gpus` names one. */
export const GPU = 'gpu'

/** What may be asked of a machine by number, such as `cores>=8`. Memory is in GiB. */
const MEASURES = {
  cores: ({ cores }: MachineFacts) => cores,
  memory: ({ memoryBytes }: MachineFacts) => memoryBytes / 2 ** 30,
  gpus: ({ gpus }: MachineFacts) => gpus.length,
} as const
type Measure = keyof typeof MEASURES
export const MEASURE_NAMES = Object.keys(MEASURES) as Measure[]

/** What stands between a measure and its number; the short claim of PostgreSQL looks for it. */
export const AT_LEAST = '>='

/** What can be done somewhere. */
export interface Able {
  /** Words. */
  capabilities: readonly string[]
  /** `null` = the worker does not say. */
  machine: MachineFacts | null
}

/** Whether what a task requires is there: the one rule for claims, and for what is said of tasks that nobody takes. */
export function meets(able: Able, need: string): boolean {
  if (able.capabilities.includes(need)) return true
  const asked = measureOf(need)
  return asked !== null && able.machine !== null && MEASURES[asked.measure](able.machine) >= asked.least
}

/** Whether a word asks for a number, in a form that nobody understands: it would wait for ever. */
export const isBadMeasure = (need: string): boolean => /[<>]/.test(need) && measureOf(need) === null

function measureOf(need: string): { measure: Measure; least: number } | null {
  const [, name, number] = /^([a-z]+)>=(\d{1,9}(?:\.\d{1,3})?)$/.exec(need) ?? []
  const measure = MEASURE_NAMES.find((one) => one === name)
  return measure === undefined ? null : { measure, least: Number(number) }
}
