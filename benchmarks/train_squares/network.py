"""The network in PyTorch, and the same network written as ONNX."""

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

CHANNELS = (16, 32, 48, 80)
"""Of the convolutions at 32, 16, 8 and 4 pixels a square."""
WIDTH = CHANNELS[-1]
HEADS = 4
BLOCKS = 2
OUTPUTS = 4
"""Empty, man, king; and of which side, a number whose sign parts the two sides."""


class Step(nn.Module):
    """A convolution of 3x3, normalised."""

    def __init__(self, before: int, after: int) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(before, after, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(after)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the normalised sums, before any threshold."""
        return self.norm(self.convolution(x))


class Block(nn.Module):
    """Each square looks at the squares of its own kind on the board, then thinks for itself."""

    def __init__(self) -> None:
        super().__init__()
        self.before_look = nn.LayerNorm(WIDTH)
        self.query = nn.Linear(WIDTH, WIDTH, bias=False)
        self.key = nn.Linear(WIDTH, WIDTH, bias=False)
        self.value = nn.Linear(WIDTH, WIDTH, bias=False)
        self.taken = nn.Linear(WIDTH, WIDTH)
        self.before_thought = nn.LayerNorm(WIDTH)
        self.wide = nn.Linear(WIDTH, 2 * WIDTH)
        self.narrow = nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return squares (n, squares, WIDTH) that know of the others."""
        n, squares, _ = x.shape
        seen = self.before_look(x)
        query, key, value = (
            layer(seen).view(n, squares, HEADS, -1).transpose(1, 2)
            for layer in (self.query, self.key, self.value)
        )
        share = (query @ key.transpose(2, 3) * (WIDTH // HEADS) ** -0.5 + mask).softmax(-1)
        x = x + self.taken((share @ value).transpose(1, 2).reshape(n, squares, WIDTH))
        return x + self.narrow(torch.relu(self.wide(self.before_thought(x))))


class SquaresNet(nn.Module):
    """Convolutions over the whole board, each square pooled, then squares compared."""

    def __init__(self) -> None:
        super().__init__()
        c = CHANNELS
        self.steps = nn.ModuleList(
            [Step(3, c[0]), Step(c[0], c[1]), Step(c[1], c[2]), Step(c[2], c[3])]
        )
        self.again = nn.ModuleList([nn.ModuleList([Step(n, n), Step(n, n)]) for n in (c[2], c[3])])
        self.look = nn.Conv2d(WIDTH, 2 * WIDTH, 6, stride=4, groups=WIDTH, bias=False)
        nn.init.normal_(self.look.weight, 1 / 36, 0.03)
        self.square = nn.Linear(3 * WIDTH, WIDTH)
        self.blocks = nn.ModuleList([Block() for _ in range(BLOCKS)])
        self.last = nn.LayerNorm(WIDTH)
        self.alone = nn.Linear(WIDTH, OUTPUTS)
        self.classes = nn.Linear(2 * WIDTH, OUTPUTS)

    def squares(self, views: torch.Tensor) -> torch.Tensor:
        """Return (n, squares, WIDTH) of views (n, 3, edge, edge), edge = 32 (size + 1)."""
        x = views
        for k, step in enumerate(self.steps):
            x = torch.relu(step(x))
            if k >= 2:
                first, second = self.again[k - 2]
                x = torch.relu(x + second(torch.relu(first(x))))
            if k < 3:
                x = nn.functional.max_pool2d(x, 2)
        x = x[:, :, 1:-1, 1:-1]
        pooled = torch.cat([self.look(x), nn.functional.max_pool2d(x, 6, 4)], dim=1)
        return torch.relu(self.square(pooled.flatten(2).transpose(1, 2)))

    def forward(self, views: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (n, squares, OUTPUTS): with and without a look at the other squares."""
        own = nn.functional.dropout(self.squares(views), 0.1, self.training)
        mask = torch.from_numpy(kinds_apart(round(own.shape[1] ** 0.5)))
        x = own
        for block in self.blocks:
            x = block(x, mask)
        return self.classes(torch.cat([own, self.last(x)], dim=2)), self.alone(own)


def kinds_apart(size: int) -> np.ndarray:
    """Return what hides dark squares from light ones, float32, shape (size ** 2, size ** 2)."""
    kind = np.indices((size, size)).sum(axis=0).ravel() % 2
    return np.where(kind[:, None] == kind[None], 0.0, -100.0).astype(np.float32)


class _Writer:
    """Collects nodes and weights of an ONNX graph."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def weight(self, values: torch.Tensor | np.ndarray) -> str:
        array = values.detach().numpy() if isinstance(values, torch.Tensor) else values
        name = f"w{len(self.weights)}"
        kind = np.int64 if array.dtype == np.int64 else np.float32
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array, kind), name))
        return name

    def put(self, kind: str, *inputs: str, name: str = "", **options: object) -> str:
        name = name or f"x{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **options))
        return name

    def step(self, step: Step, at: str) -> str:
        norm = step.norm
        gain = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        kernel = self.weight(step.convolution.weight * gain[:, None, None, None])
        bias = self.weight(norm.bias - norm.running_mean * gain)
        return self.put("Conv", at, kernel, bias, kernel_shape=[3, 3], pads=[1] * 4)

    def linear(self, layer: nn.Linear, at: str, name: str = "") -> str:
        if layer.bias is None:
            return self.put("MatMul", at, self.weight(layer.weight.T), name=name)
        product = self.put("MatMul", at, self.weight(layer.weight.T))
        return self.put("Add", product, self.weight(layer.bias), name=name)

    def norm(self, norm: nn.LayerNorm, at: str) -> str:
        centred = self.put("Sub", at, self.put("ReduceMean", at, axes=[-1], keepdims=1))
        square = self.put("Mul", centred, centred)
        spread = self.put("ReduceMean", square, axes=[-1], keepdims=1)
        some = self.put("Add", spread, self.weight(np.array([norm.eps], np.float32)))
        even = self.put("Div", centred, self.put("Sqrt", some))
        return self.put(
            "Add", self.put("Mul", even, self.weight(norm.weight)), self.weight(norm.bias)
        )


def as_onnx(network: SquaresNet) -> onnx.ModelProto:
    """Write the network, for one board of any size, with its normalisations folded in.

    Only plain nodes on matrices are used, head by head, so that every OpenCV from 4.10 on runs
    them. Inputs: ``view`` (1, 3, edge, edge) and ``mask``, see `kinds_apart`.
    """
    w = _Writer()
    at = "view"
    for k, step in enumerate(network.steps):
        at = w.put("Relu", w.step(step, at))
        if k >= 2:
            first, second = network.again[k - 2]
            more = w.step(second, w.put("Relu", w.step(first, at)))
            at = w.put("Relu", w.put("Add", at, more))
        if k < 3:
            at = w.put("MaxPool", at, kernel_shape=[2, 2], strides=[2, 2])
    # Less a ring of one cell: pooling with a negative pad is not to be had, cutting is.
    ends = [w.weight(np.array(v, np.int64)) for v in ([1, 1], [-1, -1], [2, 3])]
    at = w.put("Slice", at, *ends)
    kernel = w.weight(network.look.weight)
    looked = w.put("Conv", at, kernel, kernel_shape=[6, 6], strides=[4, 4], group=WIDTH)
    most = w.put("MaxPool", at, kernel_shape=[6, 6], strides=[4, 4])
    pooled = w.put("Concat", looked, most, axis=1)
    square = network.square
    own = w.put(
        "Relu",
        w.put(
            "Conv",
            pooled,
            w.weight(square.weight[:, :, None, None]),
            w.weight(square.bias),
            kernel_shape=[1, 1],
        ),
    )
    flat = w.put("Reshape", own, w.weight(np.array([WIDTH, -1], np.int64)))
    own = x = w.put("Transpose", flat, perm=[1, 0])
    deep = WIDTH // HEADS
    for block in network.blocks:
        seen = w.norm(block.before_look, x)
        sums = x
        for head in range(HEADS):
            part = slice(head * deep, (head + 1) * deep)
            query = w.put("MatMul", seen, w.weight(block.query.weight[part].T * deep**-0.5))
            key = w.put("MatMul", seen, w.weight(block.key.weight[part].T))
            value = w.put("MatMul", seen, w.weight(block.value.weight[part].T))
            alike = w.put("MatMul", query, w.put("Transpose", key, perm=[1, 0]))
            share = w.put("Softmax", w.put("Add", alike, "mask"), axis=1)
            taken = w.put("MatMul", share, value)
            sums = w.put(
                "Add", sums, w.put("MatMul", taken, w.weight(block.taken.weight[:, part].T))
            )
        x = w.put("Add", sums, w.weight(block.taken.bias))
        wide = w.put("Relu", w.linear(block.wide, w.norm(block.before_thought, x)))
        x = w.put("Add", x, w.linear(block.narrow, wide))
    both = w.put("Concat", own, w.norm(network.last, x), axis=1)
    w.linear(network.classes, both, name="judged")
    w.linear(network.alone, own, name="alone")
    graph = helper.make_graph(
        w.nodes,
        "squares",
        [
            helper.make_tensor_value_info("view", TensorProto.FLOAT, [1, 3, 288, 288]),
            helper.make_tensor_value_info("mask", TensorProto.FLOAT, [64, 64]),
        ],
        [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, [64, OUTPUTS])
            for name in ("judged", "alone")
        ],
        w.weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model
