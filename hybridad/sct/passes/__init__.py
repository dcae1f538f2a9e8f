"""The clean-up of a trace: pure functions from a tree of blocks to a simpler one.

`run` does all of them, in this order (`order`):

0. `restoring`: what is taken out of an array and put back stays there.
1. `phis`: phis that never change are what they began with.
2. `folding`: what is computed of static values is a constant.
3. `subexpressions`: nothing is computed twice along a path, by forward or adjoint.
4. `algebra`: adjoint operations are simplified, and merged on the way (rules in `arithmetic`,
   `broadcasts`, `rearrangements`; what they know of values in `known`).
5. `scatter`: parts added into zeros become slices, concatenations, or the parts themselves.
6. `contractions`: adjoint `np.tensordot` and `np.einsum` become matrix products.
7. `dead`: what nobody needs goes.
8. `hoisting`: what is the same in each iteration moves before the loop.
9. `in_place`: sums whose old value nobody needs are added to in place (`accumulators`).
10. `distinct`: sums to which each iteration adds in a place of its own are assigned there.

Forward operations keep operation, order of operands and layout; one goes, merges or moves only if
it can neither raise nor warn (`facts`). `walk` goes through trees, `survey` and `steady` find
facts, `pieces` tells windows of arrays apart.
"""

from hybridad.sct.passes.algebra import simplify
from hybridad.sct.passes.contractions import lower_contractions
from hybridad.sct.passes.dead import remove_dead
from hybridad.sct.passes.distinct import assign_where_distinct
from hybridad.sct.passes.folding import fold_constants
from hybridad.sct.passes.hoisting import hoist_invariants
from hybridad.sct.passes.in_place import accumulate_in_place
from hybridad.sct.passes.order import run
from hybridad.sct.passes.phis import remove_constant_phis
from hybridad.sct.passes.restoring import leave_in_place
from hybridad.sct.passes.scatter import gather_scatters
from hybridad.sct.passes.subexpressions import merge_subexpressions

__all__ = [
    "accumulate_in_place", "assign_where_distinct", "fold_constants", "gather_scatters",
    "hoist_invariants", "leave_in_place", "lower_contractions", "merge_subexpressions",
    "remove_constant_phis", "remove_dead", "run", "simplify",
]
