/** `~` for the person's own folder, as people read and type it. @param home  that folder; empty or absent = it is not known */
export const shortPath = (path: string, home: string | undefined): string =>
  home && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path
