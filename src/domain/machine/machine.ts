/** What a worker finds out about its machine by itself. */
export interface MachineFacts {
  /** As Node names it: `linux`, `darwin`, `win32`. */
  platform: string
  /** As Node names it: `x64`, `arm64`. */
  arch: string
  /** Those that this process may use. */
  cores: number
  /** What this process may use, a container's limit included. */
  memoryBytes: number
  /** Names of graphics processors that can compute, one for each. */
  gpus: string[]
  /** Remotes of repositories that it has fetched. */
  repositories: string[]
}

export const MACHINE_LIMITS = Object.freeze({
  /** Characters of a platform, a processor's or a graphics processor's name. */
  word: 100,
  gpus: 64,
  /** Remotes that a worker reports, those fetched last first. */
  repositories: 200,
  cores: 100_000,
})
