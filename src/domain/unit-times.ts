import { ERROR_CODES, type ErrorCode } from './errors'

/** Upper bounds in seconds, those that OpenTelemetry advises for calls of a database. */
export const UNIT_BOUNDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10] as const

const WEIGHTS = ['interactive', 'bulk'] as const
type Weight = (typeof WEIGHTS)[number]
/** No error, then each code. */
const OUTCOMES = [null, ...ERROR_CODES] as const
/** The bounds, what is slower than all, and the sum of microseconds in two words: low and high. */
const SERIES_WORDS = UNIT_BOUNDS.length + 3
const LOW = UNIT_BOUNDS.length + 1
const HIGH = LOW + 1
const WORD = 2 ** 32

/** Units of one weight and outcome. */
export interface UnitSeries {
  weight: Weight
  /** `null` = it was kept. */
  error: ErrorCode | null
  /** By the first bound that they kept; the last place is for slower ones. */
  counts: readonly number[]
  /** Seconds. */
  sum: number
}

/**
 * How long units of work took, from their call until they were durable or refused, since the process began: waiting for a turn, retries
 * and the commit count. All threads that write share its memory, and a unit adds to two words of it. It allocates nothing for one.
 */
export class UnitTimes {
  readonly system: 'sqlite' | 'postgresql'
  /** For `new UnitTimes` in another thread. */
  readonly memory: SharedArrayBuffer
  readonly #words: Uint32Array

  constructor(system: 'sqlite' | 'postgresql', memory: SharedArrayBuffer = newMemory()) {
    this.system = system
    this.memory = memory
    this.#words = new Uint32Array(memory)
  }

  /** @param error  the code with which it failed; `null` = it was kept */
  note(weight: Weight, error: ErrorCode | null, ms: number): void {
    const at = seriesAt(WEIGHTS.indexOf(weight), OUTCOMES.indexOf(error))
    let place = 0
    while (place < UNIT_BOUNDS.length && ms > (UNIT_BOUNDS[place] ?? 0) * 1_000) place++
    Atomics.add(this.#words, at + place, 1)
    const micros = Math.min(Math.max(0, Math.round(ms * 1_000)), WORD - 1)
    if (Atomics.add(this.#words, at + LOW, micros) + micros >= WORD) Atomics.add(this.#words, at + HIGH, 1)
  }

  /** Those that have a unit, and kept units of both weights always: a rate needs a value from which it begins. */
  series(): UnitSeries[] {
    const all = WEIGHTS.flatMap((weight, w) => OUTCOMES.map((error, o) => this.#series(weight, error, seriesAt(w, o))))
    return all.filter(({ error, counts }) => error === null || counts.some((count) => count > 0))
  }

  #series(weight: Weight, error: ErrorCode | null, at: number): UnitSeries {
    const read = (word: number): number => Atomics.load(this.#words, at + word)
    const counts = Array.from({ length: LOW }, (_, place) => read(place))
    let high = read(HIGH)
    let low = read(LOW)
    // The low word ran over between the two reads.
    for (let again = read(HIGH); again !== high; again = read(HIGH)) {
      high = again
      low = read(LOW)
    }
    return { weight, error, counts, sum: (high * WORD + low) / 1_000_000 }
  }
}

const seriesAt = (weight: number, outcome: number): number => (weight * OUTCOMES.length + outcome) * SERIES_WORDS

const newMemory = (): SharedArrayBuffer =>
  new SharedArrayBuffer(WEIGHTS.length * OUTCOMES.length * SERIES_WORDS * Uint32Array.BYTES_PER_ELEMENT)
