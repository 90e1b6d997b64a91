/** What a system needs to know of the service, and what is to be done there. Three systems, one shape; nothing here touches any. */

/**
 * What the system starts for a folder, each restarted apart from the others: its server, the worker of that server, or a worker that takes
 * tasks from a server elsewhere, with the words of its `lode work`. Those may be left out where the service is only asked about, ended or
 * removed.
 */
export type Served = { kind: 'server' } | { kind: 'runs' } | { kind: 'worker'; words: readonly string[] }
export type WorkerKind = Exclude<Served['kind'], 'server'>

/** What the service runs, and with what. */
export interface ServiceSpec {
  /** Lodeline's folder; each has services of its own. */
  home: string
  kind: Served['kind']
  /** `lodeline`, `lodeline-runs` or `lodeline-worker`, with an ending of its own for another folder than the usual one. */
  name: string
  /** argv of what it runs, absolute. */
  command: readonly string[]
  /** What the agent CLIs need: a service does not get the terminal's environment. */
  env: Readonly<Record<string, string>>
  /** The user's home folder. */
  userHome: string
  uid: number
}

export interface ServicePlan {
  /** The part of the system that runs it. */
  manager: ServiceManager
  /** Where its definition stands, absolute. */
  file: string
  text: string
  encoding: 'utf8' | 'utf16le'
  /** Ends with 0 where this user can have services. */
  probe: Command
  /** Makes the system read the definition again; in order. */
  load: readonly Command[]
  /** Starts it now and at each login. */
  start: readonly Command[]
  /** `start` fails where it is loaded already, and `load` ends what is. */
  isStartedOnce: boolean
  /** Ends it in order and starts it again. */
  restart: readonly Command[]
  /** Ends it and keeps it from starting; before the definition is removed. It may not be there. */
  stop: readonly Command[]
  /** After the definition is removed. */
  forget: readonly Command[]
  /** Says whether it runs. */
  ask: Command
  /** The process, from what `ask` printed; `null` = it does not run. */
  pidOf(printed: string): number | null
}

export type ServiceManager = 'systemd' | 'launchd' | 'task-scheduler'
export type Command = readonly [string, ...string[]]
