import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SeededRandom } from '../../lab/seeded-random'

/** What no agent CLI writes there. */
const ODD: readonly unknown[] = [
  ...[null, true, 0, -1, 0.5, 1e308, Number.MAX_SAFE_INTEGER, '', '\0', '\ud800', 'constructor', '__proto__'],
  ...[[], [null], {}, { a: 1 }, '2026-13-45', '9999-12-31T23:59:59.999Z', 'x'.repeat(5_000)],
]

/** A place of a JSON value in which another may stand. */
type Place = [holder: Record<string, unknown>, key: string]

const placesIn = (value: unknown): Place[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, one]) => [[value, key] as Place, ...placesIn(one)])

/** Copies the transcripts below a folder. A third of their lines lose fields, or have odd or other lines' values in them. */
export function copyOddly(from: string, to: string, random: SeededRandom): void {
  cpSync(from, to, { recursive: true })
  for (const file of [...new Bun.Glob('**/*.jsonl').scanSync({ cwd: to })].sort()) {
    const path = join(to, file)
    const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
    const values = lines.map((line): unknown => JSON.parse(line))
    const others = values.flatMap(placesIn).map(([holder, key]) => structuredClone(holder[key]))
    for (const value of values) {
      const places = placesIn(value)
      for (let changes = random.below(9) - 5; changes > 0 && places.length > 0; changes--) {
        const [holder, key] = random.of(places)
        if (random.below(6) === 0) delete holder[key]
        else holder[key] = random.of(random.below(2) === 0 ? ODD : others)
      }
    }
    writeFileSync(path, values.map((value) => `${JSON.stringify(value)}\n`).join(''))
  }
}
