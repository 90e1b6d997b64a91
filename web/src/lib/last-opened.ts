let opened: string | null = null

/** The issue that was opened last out of a list, so that who comes back finds the place again. */
export const lastOpened = (): string | null => opened

export function rememberOpened(id: string): void {
  opened = id
}
