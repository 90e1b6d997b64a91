import { visibleText } from '#domain/visible-text'

export { visibleText }

/** The last part of a folder, which people use as the name of a project. */
export const projectName = (folder: string): string =>
  visibleText(folder.split(/[/\\]/).filter(Boolean).at(-1) ?? folder)
