const CODES = {
  ENOSPC: 'storage_full',
  EDQUOT: 'storage_full',
  SQLITE_FULL: 'storage_full',
  EROFS: 'storage_readonly',
  EACCES: 'storage_readonly',
  EPERM: 'storage_readonly',
} as const

/** The code of our error for what the system says of a disk: it is full, or can't be written. `undefined` = it says something else. */
export function diskFault(error: unknown): 'storage_full' | 'storage_readonly' | undefined {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && Object.hasOwn(CODES, code) ? CODES[code as keyof typeof CODES] : undefined
}
