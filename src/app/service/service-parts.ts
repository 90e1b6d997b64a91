/** What a person installs, restarts and removes as one: a server and its worker, which the system starts and restarts apart. */
import {
  installService,
  type Restart,
  removeService,
  restartService,
  type ServiceChange,
  type ServiceHost,
  type ServiceState,
  serviceState,
} from './service'
import type { Served } from './service-plan'

export interface ServiceParts {
  /** The server, or a worker for a server elsewhere. */
  main: Served
  /** The worker of that server. */
  runs: Served | null
}

/** Without the words of a worker: it is only asked about, ended or removed. */
export const partsOf = (isWorker: boolean): ServiceParts =>
  isWorker ? { main: { kind: 'worker', words: [] }, runs: null } : { main: { kind: 'server' }, runs: { kind: 'runs' } }

/** The server's part, or that of a worker elsewhere, with that of the server's worker; `null` = it has none. */
export type Both<Part> = Part & { worker: Part | null }

/** @throws `unavailable` this user can have no services here; nothing was written then */
export function installParts(
  home: string,
  host: ServiceHost,
  isDryRun: boolean,
  { main, runs }: ServiceParts,
): Both<ServiceChange> {
  // The server first: one of a former definition has the worker's name.
  const done = installService(home, host, isDryRun, main)
  return { ...done, worker: runs && installService(home, host, isDryRun, runs) }
}

export function removeParts(
  home: string,
  host: ServiceHost,
  isDryRun: boolean,
  { main, runs }: ServiceParts,
): Both<ServiceChange> {
  // The worker first: its server takes how the runs ended.
  const worker = runs && removeService(home, host, isDryRun, runs)
  return { ...removeService(home, host, isDryRun, main), worker }
}

export const partsState = (home: string, host: ServiceHost, { main, runs }: ServiceParts): Both<ServiceState> => ({
  ...serviceState(home, host, main),
  worker: runs && serviceState(home, host, runs),
})

/**
 * @param endsRuns  restarts the worker at once
 * @returns what became of the worker
 * @throws `unavailable`
 */
export function restartParts(home: string, host: ServiceHost, { main, runs }: ServiceParts, endsRuns = false): Restart {
  const restarted = restartService(home, host, main, endsRuns)
  // A service of a former program has one part, which ends its runs.
  return runs === null || !serviceState(home, host, runs).isInstalled
    ? restarted
    : restartService(home, host, runs, endsRuns)
}
