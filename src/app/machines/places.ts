/** How this person reaches the machines that were added from here, by their names: the file `machines.json`. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomHex } from '../../util/crypto'
import { checkDestination, type SshPlace } from './ssh'

const fileOf = (home: string): string => join(home, 'machines.json')

/** `undefined` = it was not added from here. */
export const placeOf = (home: string, name: string): SshPlace | undefined => readPlaces(home).get(name)

export function keepPlace(home: string, name: string, place: SshPlace): void {
  const places = readPlaces(home).set(name, place)
  const draft = join(home, `.machines-${randomHex(6)}`)
  writeFileSync(draft, `${JSON.stringify(Object.fromEntries(places), null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(draft, fileOf(home))
}

/** What is not as we wrote it does not count. */
function readPlaces(home: string): Map<string, SshPlace> {
  const places = new Map<string, SshPlace>()
  try {
    const known = JSON.parse(readFileSync(fileOf(home), 'utf8')) as Record<string, Partial<SshPlace> | null>
    for (const [name, place] of Object.entries(known)) {
      const { destination, port, identity } = place ?? {}
      if (typeof destination !== 'string') continue
      places.set(name, {
        destination: checkDestination(destination),
        port: typeof port === 'number' ? port : null,
        identity: typeof identity === 'string' ? identity : null,
      })
    }
  } catch {
    // There is none yet, or it is not ours.
  }
  return places
}
