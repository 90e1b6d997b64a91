/** Where the program runs: what defaults and relative paths are made from. */
export interface Place {
  env: Readonly<Record<string, string | undefined>>
  /** What relative paths are relative to: the folder of the file, or the working directory for flags. */
  folder: string
}

export interface KeySpec<T> {
  /** One line: what it is, its unit, what is allowed. */
  help: string
  /**
   * Whether a project's `.lodeline/config.yaml` may set it. That file comes with a cloned repository, so it must not be
   * able to send the record elsewhere, open a port, read other folders, or stop or delete recording.
   */
  isProjectSafe: boolean
  /** Whether a running server or worker takes a new value by itself, within a second or two; else it counts after a restart. */
  isLive: boolean
  fallback(place: Place): T
  /** @throws Error  with the end of a sentence that begins with the key: `must be …` */
  parse(value: unknown, place: Place): T
}
