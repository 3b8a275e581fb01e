"""The network in PyTorch, and the same network written as ONNX."""

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

CHANNELS = (16, 32, 48, 64)
FEATURES = 48
CLASSES = 3


class SquaresNet(nn.Module):
    """Four convolutions, mean and largest value of each channel, a bottleneck, three classes."""

    def __init__(self) -> None:
        super().__init__()
        self.convolutions = nn.ModuleList()
        self.norms = nn.ModuleList()
        before = 3
        for channels in CHANNELS:
            self.convolutions.append(nn.Conv2d(before, channels, 3, padding=1, bias=False))
            self.norms.append(nn.BatchNorm2d(channels))
            before = channels
        self.bottleneck = nn.Linear(2 * before, FEATURES)
        self.classes = nn.Linear(FEATURES, CLASSES)

    def features(self, crops: torch.Tensor) -> torch.Tensor:
        """Return (n, 48) of crops (n, 3, 40, 40)."""
        x = crops
        for step, (convolution, norm) in enumerate(zip(self.convolutions, self.norms, strict=True)):
            x = torch.relu(norm(convolution(x)))
            if step < len(CHANNELS) - 1:
                x = nn.functional.max_pool2d(x, 2)
        pooled = torch.cat([x.mean((2, 3)), x.amax((2, 3))], dim=1)
        return torch.relu(self.bottleneck(pooled))

    def forward(self, crops: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits (n, 3) and features (n, 48)."""
        features = self.features(crops)
        return self.classes(nn.functional.dropout(features, 0.2, self.training)), features


def as_onnx(network: SquaresNet) -> onnx.ModelProto:
    """Write the network with its normalisations folded into the convolutions.

    Only Conv, Relu, MaxPool, the two global poolings and Concat are used: every OpenCV from
    4.10 on runs them with any number of crops. Linear layers stand as 1x1 convolutions.
    """
    nodes, weights = [], []

    def add(name: str, values: torch.Tensor) -> str:
        weights.append(numpy_helper.from_array(values.detach().numpy().astype(np.float32), name))
        return name

    at = "crops"
    steps = list(zip(network.convolutions, network.norms, strict=True))
    for k, (convolution, norm) in enumerate(steps):
        gain = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        kernel = add(f"kernel{k}", convolution.weight * gain[:, None, None, None])
        bias = add(f"bias{k}", norm.bias - norm.running_mean * gain)
        nodes.append(
            helper.make_node(
                "Conv", [at, kernel, bias], [f"conv{k}"], kernel_shape=[3, 3], pads=[1] * 4
            )
        )
        nodes.append(helper.make_node("Relu", [f"conv{k}"], [f"relu{k}"]))
        at = f"relu{k}"
        if k < len(steps) - 1:
            nodes.append(
                helper.make_node("MaxPool", [at], [f"pool{k}"], kernel_shape=[2, 2], strides=[2, 2])
            )
            at = f"pool{k}"
    nodes.append(helper.make_node("GlobalAveragePool", [at], ["mean"]))
    nodes.append(helper.make_node("GlobalMaxPool", [at], ["largest"]))
    nodes.append(helper.make_node("Concat", ["mean", "largest"], ["pooled"], axis=1))
    for name, layer, source, target in (
        ("bottleneck", network.bottleneck, "pooled", "narrow"),
        ("classes", network.classes, "features", "logits"),
    ):
        kernel = add(f"{name}_weight", layer.weight[:, :, None, None])
        bias = add(f"{name}_bias", layer.bias)
        nodes.append(
            helper.make_node("Conv", [source, kernel, bias], [target], kernel_shape=[1, 1])
        )
        if target == "narrow":
            nodes.append(helper.make_node("Relu", ["narrow"], ["features"]))
    shape = ["n", 3, 40, 40]
    graph = helper.make_graph(
        nodes,
        "squares",
        [helper.make_tensor_value_info("crops", TensorProto.FLOAT, shape)],
        [
            helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", CLASSES, 1, 1]),
            helper.make_tensor_value_info("features", TensorProto.FLOAT, ["n", FEATURES, 1, 1]),
        ],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model
