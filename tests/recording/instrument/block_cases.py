"""Functions with blocks, and the hooks that are met in them: kind, line, names ("?": unbound).

Events are in order; line 1 is the `def`.
"""

CASES = {
    "straight line": ("""
        def f(a, b):
            "The docstring stays first."
            c = a + b
            return c
        """, {
            "1, 2": """
                function.entry 1: a b; return 4: c""",
        }),
    "dead parameter": ("""
        def f(a, b):
            b = a
            return b
        """, {
            "1, 2": """
                function.entry 1: a; return 3: b""",
        }),
    "ends without return": ("""
        def f(a):
            a.append(1)
        """, {
            "[]": """
                function.entry 1: a; function.end 1:""",
        }),
    "if without else": ("""
        def f(x, k):
            if k:
                x = -x
            return x
        """, {
            "1, True": """
                function.entry 1: x k; if.then 2: x; if.end 2: x; if.join 2: x; return 4: x""",
            "1, False": """
                function.entry 1: x k; if.else 2: x; if.end 2: x; if.join 2: x; return 4: x""",
        }),
    "if with else": ("""
        def f(x):
            if x > 0:
                y = x
            else:
                y = -x
            return y
        """, {
            "1": """
                function.entry 1: x; if.then 2: x; if.end 2: y; if.join 2: y; return 6: y""",
            "-1": """
                function.entry 1: x; if.else 2: x; if.end 2: y; if.join 2: y; return 6: y""",
        }),
    "elif": ("""
        def f(x):
            if x > 1:
                y = 1
            elif x > 0:
                y = 2
            return x
        """, {
            "2": """
                function.entry 1: x; if.then 2: x; if.end 2: x; if.join 2: x; return 6: x""",
            "1": """
                function.entry 1: x; if.else 2: x; if.then 4: x; if.end 4: x; if.join 4: x;
                if.end 2: x; if.join 2: x; return 6: x""",
            "0": """
                function.entry 1: x; if.else 2: x; if.else 4: x; if.end 4: x; if.join 4: x;
                if.end 2: x; if.join 2: x; return 6: x""",
        }),
    "bound on one side": ("""
        def f(x):
            if x:
                y = 1
            if x:
                return y
            return 0
        """, {
            "1": """
                function.entry 1: x; if.then 2: x; if.end 2: x y; if.join 2: x y; if.then 4: y;
                return 5: y""",
            "0": """
                function.entry 1: x; if.else 2: x; if.end 2: x y?; if.join 2: x y?; if.else 4:;
                if.end 4:; if.join 4:; return 6:""",
        }),
    "both sides return": ("""
        def f(x):
            if x:
                return 1
            else:
                return x
        """, {
            "0": """
                function.entry 1: x; if.else 2: x; return 5: x""",
        }),
    "while": ("""
        def f(n):
            s = k = 0
            while k < n:
                k += 1
                s += k
            return s
        """, {
            "2": """
                function.entry 1: n; while.loop 3: n s k; while.body 3: n s k;
                while.next 3: n s k; while.body 3: n s k; while.next 3: n s k; while.exit 3: s;
                return 6: s""",
            "0": """
                function.entry 1: n; while.loop 3: n s k; while.exit 3: s; return 6: s""",
        }),
    "a name that the first iteration binds": ("""
        def f(n):
            while n:
                if n < 2:
                    n = old - old
                else:
                    old = n
                    n -= 1
            return n
        """, {
            "2": """
                function.entry 1: n; while.loop 2: n old?; while.body 2: n old?; if.else 3: n;
                if.end 3: n old; if.join 3: n old; while.next 2: n old; while.body 2: n old;
                if.then 3: old; if.end 3: n old; if.join 3: n old; while.next 2: n old;
                while.exit 2: n; return 8: n""",
        }),
    "while true": ("""
        def f(n):
            while True:
                n -= 1
                if n < 0:
                    break
            return n
        """, {
            "1": """
                function.entry 1: n; while.loop 2: n; while.body 2: n; if.else 4: n;
                if.end 4: n; if.join 4: n; while.next 2: n; while.body 2: n; if.then 4: n;
                break 5: n; while.exit 2: n; return 6: n""",
        }),
    "for": ("""
        def f(xs, k):
            s = 0
            for x in xs[k:]:
                s += x
            return s
        """, {
            "[1, 2, 3], 1": """
                function.entry 1: xs k; for.loop 3: xs k s; for.body 3: s x; for.next 3: s;
                for.body 3: s x; for.next 3: s; for.exit 3: s; return 5: s""",
            "[], 0": """
                function.entry 1: xs k; for.loop 3: xs k s; for.exit 3: s; return 5: s""",
        }),
    "read after the loop only": ("""
        def f(xs):
            last = None
            for x in xs:
                last = x + 1
            return last
        """, {
            "[1, 2]": """
                function.entry 1: xs; for.loop 3: xs last; for.body 3: last x; for.next 3: last;
                for.body 3: last x; for.next 3: last; for.exit 3: last; return 5: last""",
        }),
    "target read after the loop": ("""
        def f(n):
            for i in range(n):
                pass
            return i
        """, {
            "1": """
                function.entry 1: n; for.loop 2: n i?; for.body 2: i; for.next 2: i;
                for.exit 2: i; return 4: i""",
        }),
    "for else": ("""
        def f(xs, y):
            for x in xs:
                if x == y:
                    break
            else:
                x = None
            return x
        """, {
            "[1, 2], 2": """
                function.entry 1: xs y; for.loop 2: xs y; for.body 2: y x; if.else 3: y;
                if.end 3: y; if.join 3: y; for.next 2: y; for.body 2: y x; if.then 3: x;
                break 4: x; for.exit 2: x; return 7: x""",
            "[1], 2": """
                function.entry 1: xs y; for.loop 2: xs y; for.body 2: y x; if.else 3: y;
                if.end 3: y; if.join 3: y; for.next 2: y; for.else 2:; for.end 2: x;
                for.exit 2: x; return 7: x""",
        }),
    "continue": ("""
        def f(xs):
            s = 0
            for x in xs:
                if x < 0:
                    continue
                s += x
            return s
        """, {
            "[-1, 1]": """
                function.entry 1: xs; for.loop 3: xs s; for.body 3: s x; if.then 4: s;
                continue 5: s; for.body 3: s x; if.else 4: s x; if.end 4: s x; if.join 4: s x;
                for.next 3: s; for.exit 3: s; return 7: s""",
        }),
    "break two ifs deep": ("""
        def f(n):
            k = 0
            while k < n:
                if k > 0:
                    t = k
                    if t > 0:
                        break
                k += 1
            return k
        """, {
            "3": """
                function.entry 1: n; while.loop 3: n k; while.body 3: n k; if.else 4: n k;
                if.end 4: n k; if.join 4: n k; while.next 3: n k; while.body 3: n k;
                if.then 4: n k; if.then 6: k; break 7: k; while.exit 3: k; return 9: k""",
        }),
    "return in a loop": ("""
        def f(xs, y):
            for i, x in enumerate(xs):
                if x == y:
                    return i
            return -1
        """, {
            "[5, 6], 6": """
                function.entry 1: xs y; for.loop 2: xs y; for.body 2: y i x; if.else 3: y;
                if.end 3: y; if.join 3: y; for.next 2: y; for.body 2: y i x; if.then 3: i;
                return 4: i""",
        }),
    "nested loops": ("""
        def f(n):
            s = 0
            for i in range(n):
                for j in range(i):
                    s += i * j
            return s
        """, {
            "2": """
                function.entry 1: n; for.loop 3: n s; for.body 3: s i; for.loop 4: s i;
                for.exit 4: s; for.next 3: s; for.body 3: s i; for.loop 4: s i;
                for.body 4: s i j; for.next 4: s i; for.exit 4: s; for.next 3: s; for.exit 3: s;
                return 6: s""",
        }),
    "del": ("""
        def f(a, b):
            del b
            if a:
                b = 1
                del b
            return a
        """, {
            "1, 2": """
                function.entry 1: a b; if.then 3: a; if.end 3: a; if.join 3: a; return 6: a""",
        }),
    "del on one side": ("""
        def f(a, b):
            if a:
                del b
            try:
                return b
            except NameError:
                return 0
        """, {
            "0, 2": """
                function.entry 1: a b; if.else 2: b; if.end 2: b; if.join 2: b; try.body 4: b;
                return 5: b""",
            "1, 2": """
                function.entry 1: a b; if.then 2: b; if.end 2: b?; if.join 2: b?;
                try.body 4: b?; return 5: b?; try.except 4:; return 7:""",
        }),
    "with": ("""
        def f(c, x):
            with c as v, c:
                y = x + v
            return y
        """, {
            "guard(True), 1": """
                function.entry 1: c x; with.body 2: x v; with.end 2: y; with.exit 2: y;
                return 4: y""",
        }),
    "swallowed exception": ("""
        def f(c, x):
            y = x
            with c:
                y = x / 0
                x = 3
            return x, y
        """, {
            "guard(True), 1": """
                function.entry 1: c x; with.body 3: x y; with.exit 3: x y; return 6: x y""",
        }),
    "try except": ("""
        def f(x):
            try:
                y = 1 / x
            except ZeroDivisionError:
                y = 0
            return y
        """, {
            "1": """
                function.entry 1: x; try.body 2: x; try.end 2: y; try.exit 2: y; return 6: y""",
            "0": """
                function.entry 1: x; try.body 2: x; try.except 2:; try.end 2: y; try.exit 2: y;
                return 6: y""",
        }),
    "except as": ("""
        def f(x):
            try:
                x = 1 / x
            except ZeroDivisionError as e:
                x = str(e)
            return x
        """, {
            "0": """
                function.entry 1: x; try.body 2: x; try.except 2: e; try.end 2: x;
                try.exit 2: x; return 6: x""",
        }),
    "try else": ("""
        def f(x, y):
            try:
                x = 1 / x
            except ZeroDivisionError:
                pass
            else:
                y += x
            return y
        """, {
            "1, 1": """
                function.entry 1: x y; try.body 2: x y; try.end 2: x y; try.else 2: x y;
                try.end 2: y; try.exit 2: y; return 8: y""",
            "0, 1": """
                function.entry 1: x y; try.body 2: x y; try.except 2: y; try.end 2: y;
                try.exit 2: y; return 8: y""",
        }),
    "finally": ("""
        def f(x):
            r = 0
            try:
                r = 1 / x
                return r
            except ZeroDivisionError:
                r = 1
            finally:
                x = 2
            return r + x
        """, {
            "1": """
                function.entry 1: x; try.body 3: x; return 5: r; try.finally 3: r;
                try.end 3: x r""",
            "0": """
                function.entry 1: x; try.body 3: x; try.except 3:; try.end 3: r;
                try.finally 3: r; try.end 3: x r; try.exit 3: x r; return 10: x r""",
        }),
    "raise": ("""
        def f(x, why):
            try:
                if x:
                    raise ValueError(why)
            except ValueError:
                return x
        """, {
            "1, 2": """
                function.entry 1: x why; try.body 2: x why; if.then 3: x why; raise 4: x why;
                try.except 2: x; return 6: x""",
        }),
    "assert": ("""
        def f(x, why):
            assert x, why
            return x
        """, {
            "1, 2": """
                function.entry 1: x why; return 3: x""",
        }),
    "match": ("""
        def f(x, y):
            match x:
                case [a, b]:
                    y = a + b
                case int(n) if n > y:
                    y = n
            return y
        """, {
            "(1, 2), 0": """
                function.entry 1: x y; match.case 2: a b; match.end 2: y; match.join 2: y;
                return 7: y""",
            "5, 0": """
                function.entry 1: x y; match.case 2: n; match.end 2: y; match.join 2: y;
                return 7: y""",
            "0, 1": """
                function.entry 1: x y; match.none 2: y; match.end 2: y; match.join 2: y;
                return 7: y""",
        }),
    "match with all": ("""
        def f(x):
            match x:
                case 0:
                    y = 1
                case other:
                    y = other
            return y
        """, {
            "3": """
                function.entry 1: x; match.case 2: other; match.end 2: y; match.join 2: y;
                return 7: y""",
        }),
    "captured by a lambda": ("""
        def f(x):
            k = 2
            g = lambda v: v * k
            if x:
                k = 3
            return g(x)
        """, {
            "1": """
                function.entry 1: x; if.then 4: x k g; if.end 4: x k g; if.join 4: x k g;
                return 6: x k g""",
        }),
    "captured before it is bound": ("""
        def f(x):
            def g():
                return y
            if x:
                y = x
            x = 0
            return 1
        """, {
            "1": """
                function.entry 1: x; if.then 4: x; if.end 4: y; if.join 4: y; return 7: y""",
            "0": """
                function.entry 1: x; if.else 4:; if.end 4: y?; if.join 4: y?; return 7: y?""",
        }),
    "bound by a nested function": ("""
        def f(x):
            def g():
                nonlocal y
                y = 1
            if x:
                y = 0
                del y
                g()
            return x
        """, {
            "1": """
                function.entry 1: x y?; if.then 5: x g y?; function.entry 2:; function.end 2:;
                if.end 5: x y; if.join 5: x y; return 9: x y""",
        }),
    "deleted by a nested function": ("""
        def f(x):
            def g():
                nonlocal x
                del x
            if x:
                g()
            return 1
        """, {
            "1": """
                function.entry 1: x; if.then 5: x g; function.entry 2:; function.end 2:;
                if.end 5: x?; if.join 5: x?; return 7: x?""",
        }),
    "nested function with blocks": ("""
        def f(x):
            def g(v):
                if v:
                    v = -v
                return v
            return g(x)
        """, {
            "1": """
                function.entry 1: x; return 6: x g; function.entry 2: v; if.then 3: v;
                if.end 3: v; if.join 3: v; return 5: v""",
        }),
    "list comprehension": ("""
        def f(xs, k):
            ys = [x * k for x in xs if x]
            if k:
                xs = ys
            return [i for i in xs]
        """, {
            "[1, 2], 2": """
                function.entry 1: xs k; if.then 3: ys; if.end 3: xs; if.join 3: xs; return 5: xs""",
        }),
    "generator expression": ("""
        def f(xs, k):
            s = sum(x * k for x in xs)
            if s:
                s = 1
            return s
        """, {
            "[1], 2": """
                function.entry 1: xs k; if.then 3: k; if.end 3: k s; if.join 3: k s;
                return 5: k s""",
        }),
    "walrus": ("""
        def f(xs):
            while (x := xs.pop()) and xs:
                y = x
            return x
        """, {
            "[1, 2, 3]": """
                function.entry 1: xs; while.loop 2: xs; while.body 2: xs x; while.next 2: xs;
                while.body 2: xs x; while.next 2: xs; while.exit 2: x; return 4: x""",
        }),
    "walrus in a comprehension": ("""
        def f(xs):
            ys = [(last := x) for x in xs]
            if ys:
                return last
            return ys
        """, {
            "[1, 2]": """
                function.entry 1: xs; if.then 3: last; return 4: last""",
            "[]": """
                function.entry 1: xs; if.else 3: ys; if.end 3: ys; if.join 3: ys; return 5: ys""",
        }),
    "import and class": ("""
        def f(x):
            import math as m
            class C:
                k = x
            if x:
                return C.k, m.pi
            return 0
        """, {
            "1": """
                function.entry 1: x; if.then 5: x m C; return 6: x m C""",
        }),
    "locals": ("""
        def f(x, y):
            if x:
                y = 1
                z = 2
            return sorted(locals())
        """, {
            "1, 2": """
                function.entry 1: x y; if.then 2: x y; if.end 2: x y z; if.join 2: x y z;
                return 5: x y z""",
            "0, 2": """
                function.entry 1: x y; if.else 2: x y; if.end 2: x y z?; if.join 2: x y z?;
                return 5: x y z?""",
        }),
    "global": ("""
        def f(x):
            global counter
            counter = x
            if x:
                counter += 1
            return counter
        """, {
            "1": """
                function.entry 1: x; if.then 4:; if.end 4:; if.join 4:; return 6:""",
        }),
    "generator": ("""
        def f(n):
            for i in range(n):
                yield i
        """, {
            "2": """
                generator.entry 1: n""",
        }),
    "method": ("""
        def f(x):
            class C(dict):
                def m(self, k):
                    if k:
                        k = 1
                    return super().get(k)
            return C({1: x}).m(5)
        """, {
            "1": """
                function.entry 1: x; return 7: x C; function.entry 3: self k; if.then 4: self;
                if.end 4: self k; if.join 4: self k; return 6: self k""",
        }),
    "except star": ("""
        def f(x):
            try:
                if x:
                    raise ExceptionGroup("g", [ValueError(x)])
            except* ValueError as e:
                x = len(e.exceptions)
            except* KeyError:
                x = 0
            return x
        """, {
            "5": """
                function.entry 1: x; try.body 2: x; if.then 3: x; raise 4: x; try.except 2: x e;
                try.end 2: x; try.exit 2: x; return 9: x""",
        }),
    "break through finally": ("""
        def f(xs):
            for x in xs:
                try:
                    y = x
                    if y:
                        break
                finally:
                    x = 2 * x
            return x
        """, {
            "[0, 1]": """
                function.entry 1: xs; for.loop 2: xs x?; for.body 2: x; try.body 3: x;
                if.else 5: x; if.end 5: x; if.join 5: x; try.end 3: x; try.finally 3: x;
                try.end 3: x; try.exit 3: x; for.next 2: x; for.body 2: x; try.body 3: x;
                if.then 5: x; break 6: x; try.finally 3: x; try.end 3: x; for.exit 2: x;
                return 9: x""",
        }),
    "loops left and entered": ("""
        def f(n):
            k = 0
            for i in range(n):
                while k < i:
                    k += 1
                    if k == 1:
                        break
                else:
                    k += i
            return k
        """, {
            "2": """
                function.entry 1: n; for.loop 3: n k; for.body 3: k i; while.loop 4: k i;
                while.else 4: k i; while.end 4: k; while.exit 4: k; for.next 3: k;
                for.body 3: k i; while.loop 4: k i; while.body 4: k i; if.then 6: k; break 7: k;
                while.exit 4: k; for.next 3: k; for.exit 3: k; return 10: k""",
        }),
    "decorated": ("""
        def f(x):
            if x:
                x = 2
            @str
            def g():
                return x
            return g[:9]
        """, {
            "1": """
                function.entry 1: x; if.then 2: x; if.end 2: x; if.join 2: x; return 7: x g""",
        }),
}
