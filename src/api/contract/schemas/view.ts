import * as z from 'zod/mini'
import { VIEW_LISTS } from '../../../domain/view/saved-view'
import { MaybeText } from './scalars'

/**
 * `owner`: `null` = the operator. `search`: the search part of the list's address, with its `?`. `project`: others see it only where they
 * look at the project of this folder.
 */
export const SavedView = z.object({
  list: z.enum(VIEW_LISTS),
  name: z.string(),
  search: z.string(),
  isShared: z.boolean(),
  project: MaybeText,
  isOwn: z.boolean(),
  owner: MaybeText,
})
export const SavedViewList = z.object({ views: z.array(SavedView) })
export const OneSavedView = z.object({ view: SavedView })
export const RemovedView = z.object({ list: z.enum(VIEW_LISTS), name: z.string() })
