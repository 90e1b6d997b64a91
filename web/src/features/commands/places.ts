import {
  CircleDollarSign,
  History,
  House,
  ListChecks,
  ListTree,
  type LucideIcon,
  MessagesSquare,
  ScrollText,
  Search,
  Server,
  SquareKanban,
  Stethoscope,
} from 'lucide-react'

/** A page in the navigation. */
export interface Place {
  path: string
  name: string
  icon: LucideIcon
  /** The key that follows `g` in its shortcut. */
  key: string
  /** Whether it is in the navigation of narrow screens; the command bar has the others. */
  isFirst?: true
}

/** All pages of the navigation, in display order. */
export const PLACES: readonly Place[] = [
  { path: '/', name: 'Home', icon: House, key: 'h', isFirst: true },
  { path: '/tree', name: 'Tree', icon: ListTree, key: 't', isFirst: true },
  { path: '/sessions', name: 'Sessions', icon: MessagesSquare, key: 'e' },
  { path: '/day', name: 'Day', icon: History, key: 'y' },
  { path: '/tasks', name: 'Tasks', icon: ListChecks, key: 'q', isFirst: true },
  { path: '/issues', name: 'Issues', icon: SquareKanban, key: 'i', isFirst: true },
  { path: '/search', name: 'Search', icon: Search, key: 's', isFirst: true },
  { path: '/costs', name: 'Costs', icon: CircleDollarSign, key: 'c' },
  { path: '/fleet', name: 'Fleet', icon: Server, key: 'f' },
  { path: '/audit', name: 'Audit', icon: ScrollText, key: 'a' },
  { path: '/doctor', name: 'Doctor', icon: Stethoscope, key: 'd' },
]
