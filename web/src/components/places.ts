import {
  CircleDollarSign,
  House,
  ListChecks,
  ListTree,
  type LucideIcon,
  Search,
  Server,
  SquareKanban,
  Stethoscope,
} from 'lucide-react'

export interface Place {
  path: string
  name: string
  icon: LucideIcon
  /** Goes there after `g`. */
  key: string
  /** In the bar of a narrow screen; the others are behind the command bar. */
  isFirst?: true
}

/** Where one can go, in the order in which it is shown. */
export const PLACES: readonly Place[] = [
  { path: '/', name: 'Home', icon: House, key: 'h', isFirst: true },
  { path: '/tree', name: 'Tree', icon: ListTree, key: 't', isFirst: true },
  { path: '/tasks', name: 'Tasks', icon: ListChecks, key: 'q', isFirst: true },
  { path: '/issues', name: 'Issues', icon: SquareKanban, key: 'i', isFirst: true },
  { path: '/search', name: 'Search', icon: Search, key: 's', isFirst: true },
  { path: '/costs', name: 'Costs', icon: CircleDollarSign, key: 'c' },
  { path: '/fleet', name: 'Fleet', icon: Server, key: 'f' },
  { path: '/doctor', name: 'Doctor', icon: Stethoscope, key: 'd' },
]
