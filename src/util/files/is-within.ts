import { isAbsolute, relative } from 'node:path'

/** Whether a path is a folder or lies below it. Both absolute; neither is looked up, so links count as their names say. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way.split(/[/\\]/)[0] !== '..' && !isAbsolute(way))
}
